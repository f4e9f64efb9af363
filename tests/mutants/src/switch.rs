//! Source in which each mutant stands behind a switch.
//!
//! The operands of an operator are evaluated once, in their order, and then the chosen operator is applied, so mutants inside
//! operands stay single however deep they nest. What cannot ask at run time (constants) is left as it is and told.

use crate::list::{offset, Mutant};
use std::collections::BTreeSet;
use std::ops::Range;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};

/// The changed source, and which mutants are not in it.
pub struct Switched {
    pub text: String,
    pub left: Vec<u32>,
}

/// Rewrites one file with the mutants of that file, but for those in `without`.
pub fn switch(source: &str, mutants: &[&Mutant], without: &BTreeSet<u32>) -> Switched {
    let file = syn::parse_file(source).expect("the core can be parsed");
    let lines =
        source.split_inclusive('\n').scan(0, |at, line| Some(std::mem::replace(at, *at + line.len()))).collect();
    let wanted: Vec<&Mutant> = mutants.iter().copied().filter(|mutant| !without.contains(&mutant.id)).collect();
    let mut finder = Finder { source, lines, wanted, nodes: Vec::new(), found: BTreeSet::new(), fixed: 0 };
    finder.visit_file(&file);
    let Finder { mut nodes, found, wanted, .. } = finder;
    // Outer nodes first; a guard goes around the expression that it consists of.
    nodes.sort_by_key(|node| {
        (
            node.range.start,
            std::cmp::Reverse(node.range.end),
            !matches!(node.shape, Shape::Arm { .. } | Shape::Iterator),
        )
    });
    let left = wanted.iter().map(|mutant| mutant.id).filter(|id| !found.contains(id)).collect();
    let text = Printer { source, nodes }.print(0..source.len(), 0);
    Switched { text, left }
}

/// A place with mutants, by id and replacement.
struct Node {
    range: Range<usize>,
    shape: Shape,
    choices: Vec<(u32, String)>,
}

enum Shape {
    /// At the start of a body.
    Body,
    /// A whole body whose type is only known as an iterator: the other iterators go beside it.
    Iterator,
    /// `left operator right`; `assigns` for `+=` and its like.
    Binary { left: Range<usize>, operator: String, right: Range<usize>, assigns: bool },
    /// `operator operand`.
    Unary { operator: String, operand: Range<usize> },
    /// Behind the pattern of an arm, or around its guard. `gone` deletes the arm.
    Arm { guard: bool, gone: Option<u32> },
    /// An expression of a struct with a base, which gives the field that is left out: the field of each mutant, in their order.
    Struct { fields: Vec<Range<usize>>, base: Range<usize>, gone: Vec<usize> },
}

struct Finder<'a> {
    source: &'a str,
    lines: Vec<usize>,
    wanted: Vec<&'a Mutant>,
    nodes: Vec<Node>,
    found: BTreeSet<u32>,
    /// Inside a constant, where nothing can be asked.
    fixed: usize,
}

impl<'a> Finder<'a> {
    fn place(&self, at: proc_macro2::LineColumn) -> usize {
        let line = self.lines[at.line - 1];
        line + offset(&self.source[line..], 1, at.column)
    }

    fn range(&self, of: &impl Spanned) -> Range<usize> {
        let span = of.span();
        self.place(span.start())..self.place(span.end())
    }

    /// The mutants of a genre whose span fits.
    fn choices(&mut self, genre: &str, fits: impl Fn(&Range<usize>) -> bool) -> Vec<(u32, String)> {
        if self.fixed > 0 {
            return Vec::new();
        }
        let of = self.wanted.iter().filter(|mutant| mutant.genre == genre && fits(&mutant.span));
        let choices: Vec<_> = of
            .filter(|mutant| !self.found.contains(&mutant.id))
            .map(|mutant| (mutant.id, mutant.replacement.clone()))
            .collect();
        self.found.extend(choices.iter().map(|(id, _)| *id));
        choices
    }

    fn add(&mut self, range: Range<usize>, shape: Shape, choices: Vec<(u32, String)>) {
        if !choices.is_empty() || matches!(shape, Shape::Arm { gone: Some(_), .. }) {
            self.nodes.push(Node { range, shape, choices });
        }
    }

    fn body(&mut self, signature: &syn::Signature, block: &syn::Block) {
        let range = self.range(block);
        // The span is that of the statements, without comments around them.
        let ends = block.stmts.first().zip(block.stmts.last());
        let inner = ends.map(|(first, last)| self.range(first).start..self.range(last).end);
        let choices = self.choices("FnValue", |span| {
            inner.as_ref().map_or(range.start <= span.start && span.end <= range.end, |inner| span == inner)
        });
        let iterator =
            matches!(&signature.output, syn::ReturnType::Type(_, of) if matches!(of.as_ref(), syn::Type::ImplTrait(_)));
        if iterator {
            self.add(range, Shape::Iterator, choices);
        } else {
            self.add(range.start + 1..range.start + 1, Shape::Body, choices);
        }
    }

    fn constant(&mut self, go: impl FnOnce(&mut Self)) {
        self.fixed += 1;
        go(self);
        self.fixed -= 1;
    }
}

impl<'ast> Visit<'ast> for Finder<'_> {
    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        // A constant function could be asked at run time only; none of the core has mutants that matter there.
        if item.sig.constness.is_some() {
            return self.constant(|finder| visit::visit_item_fn(finder, item));
        }
        self.body(&item.sig, &item.block);
        visit::visit_item_fn(self, item);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        if item.sig.constness.is_some() {
            return self.constant(|finder| visit::visit_impl_item_fn(finder, item));
        }
        self.body(&item.sig, &item.block);
        visit::visit_impl_item_fn(self, item);
    }

    fn visit_trait_item_fn(&mut self, item: &'ast syn::TraitItemFn) {
        if let Some(block) = &item.default {
            self.body(&item.sig, block);
        }
        visit::visit_trait_item_fn(self, item);
    }

    fn visit_item_const(&mut self, item: &'ast syn::ItemConst) {
        self.constant(|finder| visit::visit_item_const(finder, item));
    }

    fn visit_impl_item_const(&mut self, item: &'ast syn::ImplItemConst) {
        self.constant(|finder| visit::visit_impl_item_const(finder, item));
    }

    fn visit_item_static(&mut self, item: &'ast syn::ItemStatic) {
        self.constant(|finder| visit::visit_item_static(finder, item));
    }

    fn visit_expr_const(&mut self, item: &'ast syn::ExprConst) {
        self.constant(|finder| visit::visit_expr_const(finder, item));
    }

    fn visit_expr_repeat(&mut self, item: &'ast syn::ExprRepeat) {
        self.visit_expr(&item.expr);
        self.constant(|finder| finder.visit_expr(&item.len));
    }

    fn visit_type(&mut self, item: &'ast syn::Type) {
        self.constant(|finder| visit::visit_type(finder, item));
    }

    fn visit_pat(&mut self, item: &'ast syn::Pat) {
        self.constant(|finder| visit::visit_pat(finder, item));
    }

    fn visit_variant(&mut self, item: &'ast syn::Variant) {
        self.constant(|finder| visit::visit_variant(finder, item));
    }

    fn visit_expr_closure(&mut self, item: &'ast syn::ExprClosure) {
        // Its body runs later, also where the closure itself is a constant.
        let fixed = std::mem::take(&mut self.fixed);
        self.visit_expr(&item.body);
        self.fixed = fixed;
    }

    fn visit_expr_binary(&mut self, item: &'ast syn::ExprBinary) {
        let (range, left, right, at) =
            (self.range(item), self.range(&item.left), self.range(&item.right), self.range(&item.op));
        let operator = self.source[at.clone()].to_owned();
        let assigns = operator.ends_with('=') && !matches!(operator.as_str(), "==" | "!=" | "<=" | ">=");
        let choices = self.choices("BinaryOperator", |span| *span == at);
        self.add(range, Shape::Binary { left, operator, right, assigns }, choices);
        visit::visit_expr_binary(self, item);
    }

    fn visit_expr_unary(&mut self, item: &'ast syn::ExprUnary) {
        let (range, operand, at) = (self.range(item), self.range(&item.expr), self.range(&item.op));
        let operator = self.source[at.clone()].to_owned();
        let choices = self.choices("UnaryOperator", |span| *span == at);
        self.add(range, Shape::Unary { operator, operand }, choices);
        visit::visit_expr_unary(self, item);
    }

    fn visit_arm(&mut self, item: &'ast syn::Arm) {
        let whole = self.range(item);
        let bare = self.place(item.pat.span().start());
        let gone =
            self.choices("MatchArm", |span| span.end == whole.end && (span.start == whole.start || span.start == bare));
        let gone = gone.first().map(|(id, _)| *id);
        match &item.guard {
            Some((_, guard)) => {
                let range = self.range(guard.as_ref());
                let choices = self.choices("MatchArmGuard", |span| *span == range);
                self.add(range, Shape::Arm { guard: true, gone }, choices);
            }
            None => {
                let end = self.place(item.pat.span().end());
                self.add(end..end, Shape::Arm { guard: false, gone }, Vec::new());
            }
        }
        visit::visit_arm(self, item);
    }

    fn visit_expr_struct(&mut self, item: &'ast syn::ExprStruct) {
        if let Some(base) = &item.rest {
            let (whole, base) = (self.range(item), self.range(base.as_ref()));
            let fields: Vec<Range<usize>> = item.fields.iter().map(|field| self.range(field)).collect();
            let (mut choices, mut gone) = (Vec::new(), Vec::new());
            for (index, field) in fields.iter().enumerate() {
                for choice in self.choices("StructField", |span| span.start == field.start) {
                    choices.push(choice);
                    gone.push(index);
                }
            }
            self.add(whole, Shape::Struct { fields, base, gone }, choices);
        }
        visit::visit_expr_struct(self, item);
    }
}

struct Printer<'a> {
    source: &'a str,
    nodes: Vec<Node>,
}

impl Printer<'_> {
    /// The source in a range, with the nodes from the given one on.
    fn print(&self, range: Range<usize>, first: usize) -> String {
        let mut text = String::new();
        let mut at = range.start;
        for (index, node) in self.nodes.iter().enumerate().skip(first) {
            if node.range.start > range.end {
                break;
            }
            // Those before belong to a node that was printed.
            if node.range.start >= at && node.range.end <= range.end {
                text.push_str(&self.source[at..node.range.start]);
                // Ids of all of its mutants, so that an error of the compiler that is of none of them finds the place.
                let ids: Vec<String> = node.choices.iter().map(|(id, _)| id.to_string()).collect();
                text.push_str(&format!("/*[{}*/{}/*]*/", ids.join(","), self.node(index)));
                at = node.range.end;
                if node.range.is_empty() {
                    continue;
                }
            }
        }
        text + &self.source[at..range.end]
    }

    fn node(&self, index: usize) -> String {
        let node = &self.nodes[index];
        let inner = |range: &Range<usize>| self.print(range.clone(), index + 1);
        match &node.shape {
            Shape::Body => node
                .choices
                .iter()
                .map(|(id, value)| format!("if {} {{ /*<{id}*/ return {value} /*>*/; }} ", on(*id)))
                .collect(),
            Shape::Iterator => {
                let other = |value: &str| {
                    format!("Some(::std::boxed::Box::new({value}) as ::std::boxed::Box<dyn Iterator<Item = _> + '_>)")
                };
                format!("{{ crate::mutant::Or({}, {}) }}", choose(&node.choices, "None", other), inner(&node.range))
            }
            Shape::Binary { left, operator, right, assigns: true } => {
                let left = inner(left);
                let last = format!("{left} {operator} r");
                let chosen = choose(&node.choices, &last, |replacement| format!("{left} {replacement} r"));
                format!("match ({}) {{ r => {chosen} }}", inner(right))
            }
            Shape::Binary { left, operator, right, .. } => {
                let (left, right) = (inner(left), inner(right));
                match (operator.as_str(), node.choices.as_slice()) {
                    ("&&", [(id, other)]) if other == "||" => {
                        format!("(match ({left}) {{ l => if l != {} {{ {right} }} else {{ l }} }})", on(*id))
                    }
                    ("||", [(id, other)]) if other == "&&" => {
                        format!("(match ({left}) {{ l => if l == {} {{ {right} }} else {{ l }} }})", on(*id))
                    }
                    ("&&" | "||", _) => {
                        let chosen = choose(&node.choices, &format!("l {operator} {right}"), |other| {
                            format!("l {other} {right}")
                        });
                        format!("(match ({left}) {{ l => {chosen} }})")
                    }
                    ("==" | "!=" | "<" | "<=" | ">" | ">=", _) => {
                        let chosen =
                            choose(&node.choices, &format!("*l {operator} *r"), |other| format!("*l {other} *r"));
                        format!("(match (&({left}), &({right})) {{ (l, r) => {chosen} }})")
                    }
                    _ => {
                        let chosen = choose(&node.choices, &format!("l {operator} r"), |other| format!("l {other} r"));
                        format!("(match ({left}, {right}) {{ (l, r) => {chosen} }})")
                    }
                }
            }
            Shape::Unary { operator, operand } => {
                let chosen = choose(&node.choices, &format!("{operator}v"), |other| format!("{other}v"));
                format!("(match ({}) {{ v => {chosen} }})", inner(operand))
            }
            Shape::Arm { guard, gone } => {
                let stays = gone.map(|id| format!("!{}", on(id)));
                match (guard, stays) {
                    (false, stays) => format!(" if {}", stays.unwrap_or_else(|| "true".to_owned())),
                    (true, stays) => {
                        let chosen = choose(&node.choices, &inner(&node.range), str::to_owned);
                        let stays = stays.map(|stays| format!("{stays} && ")).unwrap_or_default();
                        format!("{stays}({chosen})")
                    }
                }
            }
            Shape::Struct { fields, base, gone } => {
                let head = &self.source[node.range.start..fields[0].start];
                let (texts, base) = (fields.iter().map(inner).collect::<Vec<_>>(), inner(base));
                let with = |left_out: Option<usize>| {
                    let kept = texts.iter().enumerate().filter(|(index, _)| Some(*index) != left_out);
                    let kept: String = kept.map(|(_, text)| format!("{text}, ")).collect();
                    format!("{head}{kept}..{base} }}")
                };
                let choices =
                    node.choices.iter().zip(gone).map(|((id, _), index)| (*id, with(Some(*index)))).collect::<Vec<_>>();
                format!("({})", choose(&choices, &with(None), str::to_owned))
            }
        }
    }
}

fn on(id: u32) -> String {
    format!("crate::mutant::on({id})")
}

/// An expression that is one of the choices, or else the last.
fn choose(choices: &[(u32, String)], last: &str, with: impl Fn(&str) -> String) -> String {
    let mut text = String::new();
    for (id, replacement) in choices {
        text.push_str(&format!("if {} {{ /*<{id}*/ {} /*>*/ }} else ", on(*id), with(replacement)));
    }
    format!("{text}{{ {last} }}")
}
