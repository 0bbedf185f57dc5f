//! Pieces of code by their words and by what they mean.

mod near;

use oldhand_domain::port::Embedder;
use oldhand_domain::words;
use oldhand_recall::fuse::{Fused, LanePart, Method, fuse};
use oldhand_recall::lane::{Lane, Ranked};
use oldhand_recall::plan::{RecentWork, plan_code};

use self::near::Near;
use crate::EngineError;

pub use oldhand_recall::plan::COMPARED;

/// A piece of code whose words were weighed.
#[derive(Clone, Copy, Debug)]
pub struct PieceOfCode<'a> {
    pub path: &'a str,
    /// What it is called; several names are divided by `, `.
    pub name: &'a str,
    pub text: &'a str,
    /// How what it defines is declared.
    pub signatures: &'a str,
    /// Where it has several functions: how each is called and declared.
    pub functions: &'a [(String, String)],
    /// How well its words fit.
    pub words: f64,
    /// Whether it is beside what was asked for, as prose and tests are.
    pub is_aside: bool,
    /// Whether it only says what things are: the head of a class, a constant, imports.
    pub is_inert: bool,
}

/// A piece in its place, and why it is there.
#[derive(Clone, Debug, PartialEq)]
pub struct FoundPiece {
    /// Its place among the pieces that were given.
    pub piece: usize,
    pub score: f64,
    pub lanes: Vec<LanePart>,
    pub near: Nearness,
    /// What it gains for a name that begins as the question does: `Parse a date` and `parse_date`.
    pub begins: f64,
    /// What it loses for being beside what was asked for.
    pub aside: f64,
    /// What it loses for doing nothing where a question asks what is done.
    pub shape: f64,
}

/// How near a piece is by each of its parts: cosines.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Nearness {
    pub text: f32,
    /// The nearest of its names.
    pub name: f32,
    /// Path and name together; of several functions the nearest, here and below.
    pub place: f32,
    pub signatures: f32,
    /// How near its text is to all that were compared: what is near to everything is no answer to anything.
    pub usual: f32,
}

/// How much each part counts, what a name gains that begins as the question does, and how much better what is aside has to fit. They and
/// the lanes' weights were fitted on nine repositories: `docs/benchmarks/code-search.md`.
const TEXT: f32 = 1.0;
const NAME: f32 = 0.3;
const PLACE: f32 = 2.0;
const SIGNATURES: f32 = 1.7;
const USUAL: f32 = -1.0;
const BEGINS: f64 = 1.5;
const ASIDE: f64 = 5.0;
const SHAPE: f64 = 2.5;

/// Words of a question that asks what something is, and not what is done.
const OF_THINGS: &[&str] = &[
    "class",
    "constant",
    "default",
    "enum",
    "error",
    "exception",
    "field",
    "import",
    "interface",
    "object",
    "protocol",
    "record",
    "setting",
    "struct",
    "trait",
    "type",
    "variable",
];

impl Nearness {
    fn whole(self) -> f64 {
        let Self {
            text,
            name,
            place,
            signatures,
            usual,
        } = self;
        let near = TEXT * text + NAME * name + PLACE * place + SIGNATURES * signatures;
        f64::from(near + USUAL * usual)
    }
}

/// Joins what the words of pieces say with what the pieces mean: the best, best first.
pub fn search_code(
    embedder: &dyn Embedder,
    question: &str,
    pieces: &[PieceOfCode<'_>],
    limit: usize,
) -> Result<Vec<FoundPiece>, EngineError> {
    let near = compare(embedder, question, pieces)?;
    let whole = near.iter().map(|near| near.whole()).enumerate();
    let lanes = [
        Ranked::new(Lane::Dense, whole),
        Ranked::new(
            Lane::Text,
            pieces.iter().map(|piece| piece.words).enumerate(),
        ),
    ];
    let plan = plan_code(question, RecentWork::Ordinary);
    let verb = plan.words.first().map(|word| words::stem(word));
    let asks_for_thing = words::split(question).iter().any(|word| {
        OF_THINGS
            .iter()
            .any(|of| words::stem(of) == words::stem(word))
    }) || plan.words.len() < 2;
    let found = |fused: Fused<usize>| {
        let piece = &pieces[fused.key];
        let names = bare_names(piece.name);
        let begins_so = names.iter().any(|name| {
            let parts = words::split(name);
            verb.is_some() && parts.first().map(|part| words::stem(part)) == verb
        });
        let begins = if begins_so { BEGINS } else { 0.0 };
        let aside = if piece.is_aside { ASIDE } else { 0.0 };
        let shape = if piece.is_inert && !piece.is_aside && !asks_for_thing {
            SHAPE
        } else {
            0.0
        };
        FoundPiece {
            piece: fused.key,
            score: fused.score + begins - aside - shape,
            shape,
            lanes: fused.lanes,
            near: near[fused.key],
            begins,
            aside,
        }
    };
    let fused = fuse(&lanes, &plan, Method::Standardised);
    let mut found: Vec<FoundPiece> = fused.into_iter().map(found).collect();
    found.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.piece.cmp(&b.piece)));
    found.truncate(limit);
    Ok(found)
}

/// How near each piece is, part by part.
fn compare(
    embedder: &dyn Embedder,
    question: &str,
    pieces: &[PieceOfCode<'_>],
) -> Result<Vec<Nearness>, EngineError> {
    if pieces.is_empty() {
        return Ok(Vec::new());
    }
    // Who asks for one of several short functions does not ask for the others.
    let places: Vec<Vec<String>> = pieces
        .iter()
        .map(|piece| {
            let place = |name: &str| format!("{} {name}", piece.path);
            match piece.functions {
                [] => vec![place(piece.name)],
                several => several.iter().map(|(name, _)| place(name)).collect(),
            }
        })
        .collect();
    let signatures: Vec<Vec<&str>> = pieces
        .iter()
        .map(|piece| match piece.functions {
            [] => vec![piece.signatures],
            several => several.iter().map(|(_, one)| one.as_str()).collect(),
        })
        .collect();
    let names: Vec<Vec<&str>> = pieces.iter().map(|piece| bare_names(piece.name)).collect();
    let bodies = pieces.iter().map(|piece| piece.text);
    let texts: Vec<&str> = bodies
        .chain(places.iter().flatten().map(String::as_str))
        .chain(signatures.iter().flatten().copied())
        .chain(names.iter().flatten().copied())
        .collect();
    let Near { asked, usual } = Near::to(question, &texts, pieces.len(), embedder)?;
    let mut cosines = asked.into_iter();
    let mut nearest = |of: usize| cosines.by_ref().take(of).reduce(f32::max);
    let mut near: Vec<Nearness> = usual
        .into_iter()
        .map(|usual| Nearness {
            text: nearest(1).unwrap_or_default(),
            usual,
            ..Nearness::default()
        })
        .collect();
    for (near, places) in near.iter_mut().zip(&places) {
        near.place = nearest(places.len()).unwrap_or_default();
    }
    for (near, signatures) in near.iter_mut().zip(&signatures) {
        near.signatures = nearest(signatures.len()).unwrap_or_default();
    }
    for (near, names) in near.iter_mut().zip(&names) {
        near.name = nearest(names.len()).unwrap_or_default().max(0.0);
    }
    Ok(near)
}

/// Each name without what it is in: `Parser.next` is called `next`.
fn bare_names(name: &str) -> Vec<&str> {
    name.split(", ")
        .filter_map(|name| name.rsplit(['.', ':', '>']).next())
        .map(str::trim)
        .filter(|name| !name.is_empty())
        .collect()
}

#[cfg(test)]
mod tests {
    use oldhand_embed::StaticEmbedder;

    use super::*;

    const PARSER: PieceOfCode<'_> = PieceOfCode {
        path: "src/config.py",
        name: "Config.parse_file",
        text: "def parse_file(self, path):\n    return self.read(open(path))",
        signatures: "def parse_file(self, path)",
        functions: &[],
        words: 2.0,
        is_aside: false,
        is_inert: false,
    };
    const TEST: PieceOfCode<'_> = PieceOfCode {
        path: "tests/test_config.py",
        name: "test_parse_file",
        text: "def test_parse_file():\n    assert parse_file('a')",
        signatures: "def test_parse_file()",
        functions: &[],
        words: 2.1,
        is_aside: true,
        is_inert: false,
    };
    const OTHER: PieceOfCode<'_> = PieceOfCode {
        path: "src/draw.py",
        name: "triangle, circle",
        text: "def triangle(canvas):\n    canvas.line(file)",
        signatures: "def triangle(canvas)",
        functions: &[],
        words: 1.0,
        is_aside: false,
        is_inert: false,
    };

    fn order(question: &str, pieces: &[PieceOfCode<'_>]) -> Vec<usize> {
        let found = search_code(&StaticEmbedder, question, pieces, 10).unwrap();
        found.into_iter().map(|found| found.piece).collect()
    }

    #[test]
    fn what_is_aside_comes_after_what_fits_about_as_well() {
        let question = "read the configuration file";
        assert_eq!(order(question, &[TEST, OTHER, PARSER])[0], 2);
        let asked_for = PieceOfCode {
            is_aside: false,
            ..TEST
        };
        assert_eq!(order("test parse file", &[asked_for, PARSER])[0], 0);
    }

    #[test]
    fn one_of_several_names_is_enough() {
        assert_eq!(order("draw a circle", &[PARSER, OTHER])[0], 1);
        assert_eq!(bare_names("Config.parse, mod::run"), ["parse", "run"]);
        assert_eq!(bare_names(""), Vec::<&str>::new());
    }

    #[test]
    fn of_several_functions_the_nearest_counts() {
        let functions = ["draw_line", "parse_date", "close_socket", "mix_paint"]
            .map(|name| (name.to_owned(), format!("def {name}(self)")));
        let names = functions.each_ref().map(|(name, _)| name.as_str());
        let (names, declared) = (
            names.join(", "),
            functions.each_ref().map(|(_, one)| one.as_str()),
        );
        let declared = declared.join(" ");
        let whole = PieceOfCode {
            name: &names,
            signatures: &declared,
            ..OTHER
        };
        let apart = PieceOfCode {
            functions: &functions,
            ..whole
        };
        let near = |piece| {
            let found = search_code(&StaticEmbedder, "parse a date", &[piece], 1).unwrap();
            found[0].near
        };
        assert!(near(apart).place > near(whole).place);
        assert!(near(apart).signatures > near(whole).signatures);
    }

    #[test]
    fn a_name_that_begins_as_the_question_does_gains() {
        let found = search_code(&StaticEmbedder, "Parses a file", &[OTHER, PARSER], 10).unwrap();
        assert_eq!(found[0].piece, 1);
        assert!(found[0].begins > 0.0 && found[1].begins <= 0.0);
    }

    #[test]
    fn how_it_is_declared_decides_among_equals() {
        let declared = |signatures| PieceOfCode {
            signatures,
            ..PARSER
        };
        let bytes = declared("def parse_file(self, socket: Socket) -> Bytes");
        let date = declared("def parse_file(self, calendar: Calendar) -> Date");
        assert_eq!(order("a date of the calendar", &[bytes, date])[0], 1);
        assert_eq!(order("a date of the calendar", &[date, bytes])[0], 0);
    }

    #[test]
    fn what_does_the_work_comes_before_what_is_only_named_for_it() {
        let class = PieceOfCode {
            name: "ParseFileError",
            text: "class ParseFileError(Exception):\n    pass",
            signatures: "class ParseFileError(Exception)",
            is_inert: true,
            ..PARSER
        };
        let constant = PieceOfCode {
            name: "PARSE_LIMIT",
            text: "PARSE_LIMIT = 4096",
            signatures: "PARSE_LIMIT = 4096",
            ..class
        };
        let loses = |piece, question: &str| {
            let found = search_code(&StaticEmbedder, question, &[piece, PARSER], 10).unwrap();
            let found = found.iter().find(|found| found.piece == 0).unwrap();
            found.shape > 0.0
        };
        assert!(loses(class, "how is a file parsed"));
        assert!(!loses(class, "which error is raised for a file"));
        assert!(!loses(class, "ParseFileError"));
        assert!(loses(constant, "parse the limit of a file"));
        assert!(!loses(constant, "the constant for the parse limit"));
    }

    #[test]
    fn nothing_gives_nothing() {
        assert_eq!(order("anything", &[]), Vec::<usize>::new());
    }
}
