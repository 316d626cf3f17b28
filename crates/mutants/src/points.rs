//! Rewrites a file to contain all its mutants: wherever cargo-mutants would change something, the rewritten code asks
//! which change is active.
//!
//! Not changed: tests, `const fn` and constants, macros, patterns and types.

use std::collections::HashSet;
use std::ops::Range;

use proc_macro2::Span;
use syn::spanned::Spanned as _;
use syn::visit::{self, Visit};
use syn::{Attribute, BinOp, Block, Expr, Pat, ReturnType, Signature, Stmt, Type, UnOp};

use crate::values;

/// One change at one point.
#[derive(Clone, Debug)]
pub(crate) struct Mutant {
    pub(crate) id: u32,
    /// The id of the first mutant at the same point.
    pub(crate) point: u32,
    pub(crate) file: String,
    pub(crate) function: String,
    /// `file:line:column: replace < with <= in Agent::catch_up`, the same in every run.
    pub(crate) name: String,
}

/// Rewrites files one after the other, and numbers their mutants.
pub(crate) struct Rewriter<'a> {
    pub(crate) mutants: Vec<Mutant>,
    /// Names of mutants that do not compile, and are skipped.
    pub(crate) unviable: &'a HashSet<String>,
    next: u32,
    file: String,
    source: String,
    /// The path of the function that returns the active mutant.
    active: &'static str,
    /// The enclosing type and function.
    within: Vec<String>,
    /// New text for ranges of the source, without overlaps.
    replaced: Vec<(Range<usize>, String)>,
}

/// The replacements of an operator, as in cargo-mutants.
fn changed(operator: &str) -> &'static [&'static str] {
    match operator {
        "==" => &["!="],
        "!=" => &["=="],
        "<" => &["==", ">", "<="],
        ">" => &["==", "<", ">="],
        "<=" => &[">"],
        ">=" => &["<"],
        "+" => &["-", "*"],
        "-" => &["+", "/"],
        "*" => &["+", "/"],
        "/" => &["%", "*"],
        "%" => &["/", "+"],
        "<<" => &[">>"],
        ">>" => &["<<"],
        "&" => &["|", "^"],
        "|" => &["&", "^"],
        "^" => &["|", "&"],
        "+=" => &["-=", "*="],
        "-=" => &["+=", "/="],
        "*=" => &["+=", "/="],
        "/=" => &["%=", "*="],
        "%=" => &["/=", "+="],
        "<<=" => &[">>="],
        ">>=" => &["<<="],
        "&=" => &["|=", "^="],
        "|=" => &["&=", "^="],
        "^=" => &["|=", "&="],
        _ => &[],
    }
}

impl<'a> Rewriter<'a> {
    pub(crate) fn new(unviable: &'a HashSet<String>) -> Self {
        let (file, source) = (String::new(), String::new());
        Self { mutants: vec![], unviable, next: 0, file, source, active: "", within: vec![], replaced: vec![] }
    }

    /// The rewritten text of a file.
    pub(crate) fn rewrite(&mut self, file: &str, source: String) -> Result<String, String> {
        let parsed = syn::parse_file(&source).map_err(|error| format!("cannot read {file}: {error}"))?;
        let own = file.starts_with("crates/model/");
        self.active = if own { "crate::active::point" } else { "::tiebreak_model::active::point" };
        (self.file, self.source) = (file.into(), source);
        self.replaced.clear();
        self.visit_file(&parsed);
        Ok(self.rendered(0..self.source.len()))
    }

    /// A range of the source with its replacements.
    fn rendered(&self, range: Range<usize>) -> String {
        let within = |it: &&(Range<usize>, String)| range.start <= it.0.start && it.0.end <= range.end;
        let mut parts: Vec<_> = self.replaced.iter().filter(within).collect();
        parts.sort_by_key(|(at, _)| (at.start, at.end));
        let (mut text, mut from) = (String::new(), range.start);
        for (at, new) in parts {
            text += &self.source[from..at.start];
            text += new;
            from = at.end;
        }
        text + &self.source[from..range.end]
    }

    fn text(&self, node: Span) -> String {
        self.rendered(node.byte_range())
    }

    fn replace(&mut self, range: Range<usize>, text: String) {
        self.replaced.retain(|(at, _)| at.start < range.start || range.end < at.end);
        self.replaced.push((range, text));
    }

    /// Numbers the changes of a point at `at`, each as a description and as code, and returns the text that selects
    /// between them and the original. Comments around each part map compiler errors to mutants. `None` if all are
    /// unviable.
    fn choice(&mut self, at: Span, original: &str, changes: &[(String, String)]) -> Option<String> {
        let (first, count) = (self.next, changes.len() as u32);
        self.next += count;
        let (line, column) = (at.start().line, at.start().column + 1);
        let mut arms = Vec::new();
        for ((told, code), id) in changes.iter().zip(first..) {
            let function = self.within.join("::");
            let name = format!("{}:{line}:{column}: {told} in {function}", self.file);
            if !self.unviable.contains(&name) {
                arms.push((id, format!("/*<{id}*/ {code} /*>*/")));
            }
            self.mutants.push(Mutant { id, point: first, file: self.file.clone(), function, name });
        }
        let (_, last) = arms.pop()?;
        let arms: String = arms.iter().map(|(id, code)| format!("{} => {{ {code} }} ", id - first + 1)).collect();
        let active = self.active;
        Some(format!("match {active}({first}, {count}) {{ 0 => {{ {original} }} {arms}_ => {{ {last} }} }}"))
    }

    /// The same around a whole expression whose parts are bound first.
    fn wrap(&mut self, whole: Span, bound: (&str, &str), choice: Option<String>) {
        let Some(choice) = choice else { return };
        let point = self.mutants.last().expect("a choice between mutants").point;
        self.replace(whole.byte_range(), format!("(/*<p{point}*/ {}{choice}{} /*>*/)", bound.0, bound.1));
    }

    /// A condition that is true unless the change is active.
    fn unless(&mut self, at: Span, told: String) -> Option<String> {
        self.choice(at, "true", &[(told, "false".into())]).map(|choice| format!("({choice})"))
    }

    fn lazy(&mut self, it: &syn::ExprBinary) {
        let (and, other) = if matches!(it.op, BinOp::And(_)) { ("&&", "||") } else { ("||", "&&") };
        let (left, right) = (self.text(it.left.span()), self.text(it.right.span()));
        let Some(as_it_is) = self.unless(it.op.span(), format!("replace {and} with {other}")) else { return };
        let goes_on = if and == "&&" { "==" } else { "!=" };
        let text = format!("({{ let __l = {left}; if __l {goes_on} {as_it_is} {{ {right} }} else {{ __l }} }})");
        self.replace(it.span().byte_range(), text);
    }

    fn operator(&mut self, it: &syn::ExprBinary) {
        let operator = self.source[it.op.span().byte_range()].to_string();
        let (left, right) = (self.text(it.left.span()), self.text(it.right.span()));
        let assigns = operator.ends_with('=') && !["==", "!=", "<=", ">="].contains(&&*operator);
        let compares = ["==", "!=", "<", ">", "<=", ">="].contains(&&*operator);
        let plain = &self.source[it.left.span().byte_range()];
        let (first, other) = if assigns { (&*left, plain) } else { ("__l", "__l") };
        let original = format!("{first} {operator} __r");
        let code = |to: &&str| (format!("replace {operator} with {to}"), format!("{other} {to} __r"));
        let changes: Vec<_> = changed(&operator).iter().map(code).collect();
        let choice = self.choice(it.op.span(), &original, &changes);
        let bound = if assigns {
            (format!("{{ let __r = {right}; "), "}")
        } else if compares {
            (format!("match (&({left}), &({right})) {{ (__l, __r) => "), "}")
        } else {
            (format!("match ({left}, {right}) {{ (__l, __r) => "), "}")
        };
        self.wrap(it.span(), (&bound.0, bound.1), choice);
    }

    fn function(&mut self, signature: &Signature, block: &Block) {
        let name = signature.ident.to_string();
        let untouched = name == "default" || name == "new" && signature.inputs.is_empty();
        if untouched || block.stmts.is_empty() {
            return;
        }
        if let ReturnType::Type(_, returned) = &signature.output
            && matches!(**returned, Type::ImplTrait(_))
        {
            return self.iterator(block);
        }
        let values = match &signature.output {
            ReturnType::Default => vec!["()".to_string()],
            ReturnType::Type(_, returned) => values::of(returned, &self.source),
        };
        let change = |value: &String| (format!("replace the body with {value}"), format!("return {value};"));
        let is_change =
            |value: &&String| block.stmts.len() > 1 || **value != self.source[block.stmts[0].span().byte_range()];
        let changes: Vec<_> = values.iter().filter(is_change).map(change).collect();
        if let Some(choice) = self.choice(signature.ident.span(), "", &changes) {
            let point = self.mutants.last().expect("a mutant").point;
            let at = block.brace_token.span.open().byte_range().end;
            self.replace(at..at, format!(" /*<p{point}*/ {choice} /*>*/"));
        }
    }

    /// An iterator of an unnamed type cannot be replaced by another, but it can be empty.
    fn iterator(&mut self, block: &Block) {
        let Some(Stmt::Expr(tail, None)) = block.stmts.last() else { return };
        let told = "replace the iterator with an empty one".to_string();
        let choice = self.choice(tail.span(), "usize::MAX", &[(told, "0".into())]);
        let text = self.text(tail.span());
        self.wrap(tail.span(), (&format!("core::iter::Iterator::take({text}, "), ")"), choice);
    }

    fn inside(&mut self, name: String, visit: impl FnOnce(&mut Self)) {
        self.within.push(name);
        visit(self);
        self.within.pop();
    }
}

fn is_test(attributes: &[Attribute]) -> bool {
    let tests = |it: &Attribute| {
        it.path().is_ident("test")
            || it.path().is_ident("cfg") && it.parse_args::<syn::Ident>().is_ok_and(|it| it == "test")
    };
    attributes.iter().any(tests)
}

/// The files of modules for tests only: `#[cfg(test)] mod conformance;`.
pub(crate) fn test_modules(source: &str) -> Vec<String> {
    let items = syn::parse_file(source).map_or(vec![], |file| file.items);
    let modules = items.into_iter().filter_map(|item| if let syn::Item::Mod(it) = item { Some(it) } else { None });
    modules.filter(|it| it.content.is_none() && is_test(&it.attrs)).map(|it| it.ident.to_string()).collect()
}

fn lets(expression: &Expr) -> bool {
    match expression {
        Expr::Let(_) => true,
        Expr::Binary(it) if matches!(it.op, BinOp::And(_)) => lets(&it.left) || lets(&it.right),
        _ => false,
    }
}

impl Visit<'_> for Rewriter<'_> {
    fn visit_item_mod(&mut self, it: &syn::ItemMod) {
        if !is_test(&it.attrs) {
            visit::visit_item_mod(self, it);
        }
    }

    fn visit_item_impl(&mut self, it: &syn::ItemImpl) {
        if !is_test(&it.attrs) {
            let name = self.source[it.self_ty.span().byte_range()].to_string();
            self.inside(name, |inner| visit::visit_item_impl(inner, it));
        }
    }

    fn visit_item_trait(&mut self, it: &syn::ItemTrait) {
        self.inside(it.ident.to_string(), |inner| visit::visit_item_trait(inner, it));
    }

    fn visit_item_fn(&mut self, it: &syn::ItemFn) {
        if it.sig.constness.is_none() && !is_test(&it.attrs) {
            self.inside(it.sig.ident.to_string(), |inner| {
                visit::visit_block(inner, &it.block);
                inner.function(&it.sig, &it.block);
            });
        }
    }

    fn visit_impl_item_fn(&mut self, it: &syn::ImplItemFn) {
        if it.sig.constness.is_none() && !is_test(&it.attrs) {
            self.inside(it.sig.ident.to_string(), |inner| {
                visit::visit_block(inner, &it.block);
                inner.function(&it.sig, &it.block);
            });
        }
    }

    fn visit_trait_item_fn(&mut self, it: &syn::TraitItemFn) {
        if let Some(block) = &it.default {
            self.inside(it.sig.ident.to_string(), |inner| {
                visit::visit_block(inner, block);
                inner.function(&it.sig, block);
            });
        }
    }

    fn visit_expr_binary(&mut self, it: &syn::ExprBinary) {
        visit::visit_expr_binary(self, it);
        match it.op {
            BinOp::And(_) if lets(&it.left) || lets(&it.right) => {}
            BinOp::And(_) | BinOp::Or(_) => self.lazy(it),
            _ => self.operator(it),
        }
    }

    fn visit_expr_unary(&mut self, it: &syn::ExprUnary) {
        visit::visit_expr_unary(self, it);
        let sign = match it.op {
            UnOp::Not(_) => "!",
            UnOp::Neg(_) => "-",
            _ => return,
        };
        let text = self.text(it.expr.span());
        let change = (format!("delete {sign}"), "__v".to_string());
        let choice = self.choice(it.op.span(), &format!("{sign}__v"), &[change]);
        self.wrap(it.span(), (&format!("match ({text}) {{ __v => "), "}"), choice);
    }

    fn visit_expr_match(&mut self, it: &syn::ExprMatch) {
        visit::visit_expr_match(self, it);
        let rest = it.arms.iter().any(|arm| matches!(arm.pat, Pat::Wild(_)) && arm.guard.is_none());
        for arm in &it.arms {
            let told = format!("delete match arm {}", &self.source[arm.pat.span().byte_range()]);
            if let Some((_, guard)) = &arm.guard {
                let text = self.text(guard.span());
                let change = |value: &str| (format!("replace the match guard with {value}"), value.to_string());
                let choice = self.choice(guard.span(), &text, &[change("true"), change("false")]);
                self.wrap(guard.span(), ("", ""), choice);
            } else if rest
                && !matches!(arm.pat, Pat::Wild(_))
                && let Some(kept) = self.unless(arm.pat.span(), told)
            {
                let end = arm.pat.span().byte_range().end;
                self.replace(end..end, format!(" if {kept}"));
            }
        }
    }

    fn visit_expr_call(&mut self, it: &syn::ExprCall) {
        let reserves = matches!(&*it.func, Expr::Path(path) if path.path.segments.last().is_some_and(|it| it.ident == "with_capacity"));
        if !reserves {
            visit::visit_expr_call(self, it);
        }
    }

    fn visit_expr_repeat(&mut self, it: &syn::ExprRepeat) {
        self.visit_expr(&it.expr);
    }

    fn visit_item_const(&mut self, _: &syn::ItemConst) {}
    fn visit_item_static(&mut self, _: &syn::ItemStatic) {}
    fn visit_item_enum(&mut self, _: &syn::ItemEnum) {}
    fn visit_impl_item_const(&mut self, _: &syn::ImplItemConst) {}
    fn visit_trait_item_const(&mut self, _: &syn::TraitItemConst) {}
    fn visit_expr_const(&mut self, _: &syn::ExprConst) {}
    fn visit_macro(&mut self, _: &syn::Macro) {}
    fn visit_attribute(&mut self, _: &Attribute) {}
    fn visit_pat(&mut self, _: &Pat) {}
    fn visit_type(&mut self, _: &Type) {}
}
