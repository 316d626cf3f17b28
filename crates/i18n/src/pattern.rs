//! Texts with places for values.

/// What a text consists of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Piece<'a> {
    Text(&'a str),
    Place(Place<'a>),
}

/// A place by its name, or by its number among those without one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place<'a> {
    Named(&'a str),
    Numbered(usize),
}

/// The pieces of a text. How a value is to be written (`{share:.1}`) is no part of its place's name.
pub(crate) fn pieces(text: &str) -> Vec<Piece<'_>> {
    let (mut pieces, mut rest, mut unnamed) = (Vec::new(), text, 0);
    while let Some((before, from)) = rest.split_once('{') {
        let Some((inside, behind)) = from.split_once('}') else { break };
        if !before.is_empty() {
            pieces.push(Piece::Text(before));
        }
        let name = inside.split(':').next().unwrap_or_default();
        pieces.push(Piece::Place(match name.parse() {
            Ok(number) => Place::Numbered(number),
            Err(_) if name.is_empty() => Place::Numbered(unnamed),
            Err(_) => Place::Named(name),
        }));
        unnamed += usize::from(name.is_empty());
        rest = behind;
    }
    if !rest.is_empty() {
        pieces.push(Piece::Text(rest));
    }
    pieces
}

/// The places of a text in their order, each once.
pub(crate) fn places(text: &str) -> Vec<Place<'_>> {
    let mut places = Vec::new();
    for piece in pieces(text) {
        if let Piece::Place(place) = piece
            && !places.contains(&place)
        {
            places.push(place);
        }
    }
    places
}

/// Whether a translation has the same places as its English, none more and none less.
#[must_use]
pub fn places_agree(english: &str, other: &str) -> bool {
    let (these, those) = (places(english), places(other));
    these.len() == those.len() && these.iter().all(|place| those.contains(place))
}

/// What stands in a text at the places of a pattern, one after the other; none where it is not of this pattern.
pub(crate) fn matched<'t>(pattern: &[Piece<'_>], text: &'t str) -> Option<Vec<&'t str>> {
    let mut found = Vec::new();
    fits(pattern, text, &mut found).then_some(found)
}

/// What a clause begins with.
const CLAUSES: [&str; 6] = [", ", "; ", ": ", ". ", " (", " to "];

fn fits<'t>(pattern: &[Piece<'_>], text: &'t str, found: &mut Vec<&'t str>) -> bool {
    match pattern {
        [] => text.is_empty(),
        [Piece::Text(begin), rest @ ..] => text.strip_prefix(begin).is_some_and(|text| fits(rest, text, found)),
        [Piece::Place(_)] => {
            found.push(text);
            true
        }
        [Piece::Place(_), rest @ ..] => match rest[0] {
            Piece::Text(next) => text.match_indices(next).any(|(at, _)| tries(rest, text, at, found)),
            // Of two places side by side, the second begins where a clause does, or is empty.
            Piece::Place(_) => {
                let begins = text.char_indices().filter(|(at, _)| CLAUSES.iter().any(|it| text[*at..].starts_with(it)));
                let next = rest.iter().find_map(|piece| if let Piece::Text(next) = piece { Some(*next) } else { None });
                let empty = next.into_iter().flat_map(|next| text.match_indices(next)).map(|(at, _)| at);
                begins.map(|(at, _)| at).chain(empty).chain([text.len()]).any(|at| tries(rest, text, at, found))
            }
        },
    }
}

/// Whether the rest of a pattern fits, if its first place ends here.
fn tries<'t>(rest: &[Piece<'_>], text: &'t str, at: usize, found: &mut Vec<&'t str>) -> bool {
    let before = found.len();
    found.push(&text[..at]);
    let fits = fits(rest, &text[at..], found);
    if !fits {
        found.truncate(before);
    }
    fits
}
