//! Values that a function may return instead of doing its work: those of cargo-mutants, by type.

use syn::spanned::Spanned as _;
use syn::{GenericArgument, PathArguments, Type};

/// Each value as an expression. An unknown type may have a default.
pub(crate) fn of(returned: &Type, source: &str) -> Vec<String> {
    match returned {
        Type::Never(_) | Type::ImplTrait(_) => Vec::new(),
        Type::Paren(inner) => of(&inner.elem, source),
        Type::Tuple(tuple) => tuple
            .elems
            .iter()
            .fold(vec!["(".into()], |all, part| product(&all, &of(part, source)))
            .into_iter()
            .map(|start| start + ")")
            .collect(),
        Type::Array(array) => {
            let len = &source[array.len.span().byte_range()];
            each(&of(&array.elem, source), |value| format!("[{value}; {len}]"))
        }
        Type::Reference(reference) => match &*reference.elem {
            Type::Path(path) if path.path.is_ident("str") => words(&["\"\"", "\"xyzzy\""]),
            Type::Slice(slice) => {
                let one = each(&of(&slice.elem, source), |value| format!("alloc::vec![{value}].leak()"));
                [vec!["alloc::vec::Vec::new().leak()".into()], one].concat()
            }
            inner => {
                each(&of(inner, source), |value| format!("alloc::boxed::Box::leak(alloc::boxed::Box::new({value}))"))
            }
        },
        Type::Path(path) => of_path(path, source),
        _ => words(&["Default::default()"]),
    }
}

fn of_path(path: &syn::TypePath, source: &str) -> Vec<String> {
    let last = path.path.segments.last().expect("a path has a last part");
    let inner = || match &last.arguments {
        PathArguments::AngleBracketed(given) => given.args.iter().find_map(|argument| match argument {
            GenericArgument::Type(inner) => Some(of(inner, source)),
            _ => None,
        }),
        _ => None,
    };
    let inner = || inner().unwrap_or_default();
    match &*last.ident.to_string() {
        "bool" => words(&["true", "false"]),
        "u8" | "u16" | "u32" | "u64" | "u128" | "usize" => words(&["0", "1"]),
        "i8" | "i16" | "i32" | "i64" | "i128" | "isize" => words(&["0", "1", "-1"]),
        "f32" | "f64" => words(&["0.0", "1.0", "-1.0"]),
        "String" => words(&["alloc::string::String::new()", "\"xyzzy\".into()"]),
        "Option" => [words(&["None"]), each(&inner(), |value| format!("Some({value})"))].concat(),
        "Result" => each(&inner(), |value| format!("Ok({value})")),
        "Vec" => [words(&["alloc::vec![]"]), each(&inner(), |value| format!("alloc::vec![{value}]"))].concat(),
        "Box" => each(&inner(), |value| format!("alloc::boxed::Box::new({value})")),
        "Arc" => each(&inner(), |value| format!("alloc::sync::Arc::new({value})")),
        _ => words(&["Default::default()"]),
    }
}

fn words(values: &[&str]) -> Vec<String> {
    values.iter().map(|value| (*value).into()).collect()
}

fn each(values: &[String], to: impl Fn(&str) -> String) -> Vec<String> {
    values.iter().map(|value| to(value)).collect()
}

fn product(starts: &[String], values: &[String]) -> Vec<String> {
    starts.iter().flat_map(|start| values.iter().map(move |value| format!("{start}{value}, "))).collect()
}
