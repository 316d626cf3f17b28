//! Guards against a library that panics on some damaged files.

/// The result of a step, or the message of its panic.
///
/// In WebAssembly every panic ends the program; there the host shows the message.
#[cfg(target_arch = "wasm32")]
pub(crate) fn guarded<T>(step: impl FnOnce() -> T) -> Result<T, String> {
    Ok(step())
}

/// The result of a step, or the message of its panic, which is not written to standard error.
#[cfg(not(target_arch = "wasm32"))]
pub(crate) fn guarded<T>(step: impl FnOnce() -> T) -> Result<T, String> {
    use std::cell::Cell;
    use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
    use std::sync::Once;

    thread_local! {
        static IS_GUARDED: Cell<bool> = const { Cell::new(false) };
    }
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let usual = take_hook();
        set_hook(Box::new(move |panic| {
            if !IS_GUARDED.get() {
                usual(panic);
            }
        }));
    });

    IS_GUARDED.set(true);
    let done = catch_unwind(AssertUnwindSafe(step));
    IS_GUARDED.set(false);
    done.map_err(|words| match words.downcast::<String>() {
        Ok(words) => *words,
        Err(words) => (*words.downcast::<&str>().unwrap_or_default()).to_owned(),
    })
}
