//! What went wrong, in one sentence.

/// Bad input, in one sentence: what was expected, what came, what to do.
#[derive(Debug)]
pub struct Failure(pub String);

impl<E: std::error::Error> From<E> for Failure {
    fn from(error: E) -> Self {
        Self(error.to_string())
    }
}
