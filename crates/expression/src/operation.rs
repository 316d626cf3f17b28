//! The arithmetic of one step of an expression.
//!
//! There is one value that is not a number, here called "no number". It comes from a division by 0, from a root or
//! logarithm outside its domain, and from results beyond the largest number (1.8e308); every operation on it gives no
//! number again. Booleans are 1 and 0, and no number is the unknown truth value of Kleene's logic: it stays unknown
//! unless the other side decides (`false and unknown` is false, `true or unknown` is true), so that a guard such as
//! `capacity > 0 and used / capacity < 0.5` works. Of an `if`, only the chosen value counts.

/// The representation of no number inside a step.
const NONE: f64 = f64::NAN;

macro_rules! operations {
    ($($(#[$help:meta])* $name:ident($($operand:ident),+) => $value:expr,)+) => {
        /// One step.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Operation { $($(#[$help])* $name),+ }

        impl Operation {
            /// Applies the step in several lanes at once; operands that it does not have are ignored.
            #[inline]
            pub(crate) fn apply<const LANES: usize>(self, operands: [[f64; LANES]; 3]) -> [f64; LANES] {
                match self {
                    $(Self::$name => core::array::from_fn(|lane| {
                        operations!(@take operands, lane, $($operand),+);
                        $value
                    }),)+
                }
            }
        }
    };
    (@take $operands:ident, $lane:ident, $a:ident) => { let $a = $operands[0][$lane]; };
    (@take $operands:ident, $lane:ident, $a:ident, $b:ident) => {
        let ($a, $b) = ($operands[0][$lane], $operands[1][$lane]);
    };
    (@take $operands:ident, $lane:ident, $a:ident, $b:ident, $c:ident) => {
        let ($a, $b, $c) = ($operands[0][$lane], $operands[1][$lane], $operands[2][$lane]);
    };
}

operations! {
    Add(a, b) => number(a + b),
    Subtract(a, b) => number(a - b),
    Multiply(a, b) => number(a * b),
    Divide(a, b) => number(a / b),
    /// The remainder of a division with a whole quotient; it has the sign of the first operand.
    Remainder(a, b) => libm::fmod(a, b),
    Minus(a) => -a,
    Min(a, b) => if a.is_nan() || a < b { a } else { b },
    Max(a, b) => if a.is_nan() || a > b { a } else { b },
    Abs(a) => a.abs(),
    Floor(a) => libm::floor(a),
    Ceil(a) => libm::ceil(a),
    Sqrt(a) => libm::sqrt(a),
    Log2(a) => number(libm::log2(a)),
    Exp(a) => number(libm::exp(a)),
    Less(a, b) => truth(a < b, a + b),
    LessOrEqual(a, b) => truth(a <= b, a + b),
    Equal(a, b) => truth(a == b, a + b),
    Unequal(a, b) => truth(a != b, a + b),
    And(a, b) => if a == 0.0 || b == 0.0 { 0.0 } else if a.is_nan() { a } else { b },
    Or(a, b) => if a == 1.0 || b == 1.0 { 1.0 } else if a.is_nan() { a } else { b },
    Not(a) => 1.0 - a,
    Choose(a, b, c) => if a == 1.0 { b } else if a == 0.0 { c } else { NONE },
}

/// The number, or no number if it exceeds the largest one.
#[inline]
fn number(value: f64) -> f64 {
    if value.is_finite() { value } else { NONE }
}

/// A boolean about two operands, or no number if their sum shows that one of them is no number.
#[inline]
fn truth(holds: bool, sum: f64) -> f64 {
    if sum.is_nan() { NONE } else { f64::from(u8::from(holds)) }
}
