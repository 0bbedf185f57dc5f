//! How well a function is found by what its documentation says, once the documentation is taken out: words alone, meaning alone, and both as
//! `oldhand search --code` joins them.
//!
//! ```text
//! code_search_bench [--pieces FILE] FOLDER… [FOLDER=held-out …]
//! ```
//!
//! Weights were chosen on the folders without a mark; the marked ones were only measured. `--pieces` also writes what is known of every piece
//! that was weighed, a line each, so that weights can be fitted again: `tools/bench/code_weights.py`.
#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a benchmark reads files and prints"
)]

mod questions;

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use oldhand_code::chunk::Chunk;
use oldhand_code::concordance::Concordance;
use oldhand_code::index::{Index, Options};
use oldhand_code::passage::{Passage, passages};
use oldhand_code::read::Generated;
use oldhand_code::walk::Skip;
use oldhand_embed::{StaticEmbedder, cosine};
use oldhand_engine::code_search::{COMPARED, FoundPiece, PieceOfCode, search_code};

use questions::Question;

/// How many functions of a folder are asked for.
const MOST: usize = 150;
const SHOWN: usize = 10;
/// The ways of looking, in the order of the columns.
const WAYS: [&str; 3] = ["words", "meaning", "both"];

/// Of each question, the place of the right piece by each way.
type Places = [Option<usize>; WAYS.len()];

fn main() {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let mut pieces = None;
    if let Some(at) = arguments.iter().position(|word| word == "--pieces") {
        arguments.remove(at);
        assert!(at < arguments.len(), "--pieces needs a file");
        pieces = Some((arguments.remove(at), String::new()));
    }
    println!("MRR@10 / recall@10 of the function whose documentation is asked with\n");
    println!(
        "{:34} {:>9}  {}",
        "",
        "questions",
        WAYS.map(|way| format!("{way:>13}")).join("  ")
    );
    let mut pools: [(&str, Vec<Places>); 2] =
        [("all to tune on", Vec::new()), ("all held out", Vec::new())];
    for argument in &arguments {
        let (folder, mark) = argument.split_once('=').unwrap_or((argument, ""));
        let name = Path::new(folder)
            .file_name()
            .map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        let places = measure(
            Path::new(folder),
            &name,
            mark,
            pieces.as_mut().map(|(_, text)| text),
        );
        tell(&format!("{name} {mark}"), &places);
        pools[usize::from(mark == "held-out")].1.extend(places);
    }
    println!();
    for (name, places) in &pools {
        tell(name, places);
    }
    if let Some((path, text)) = pieces {
        fs::write(path, text).expect("the pieces can be written");
    }
}

fn tell(name: &str, places: &[Places]) {
    let columns: Vec<String> = (0..WAYS.len())
        .map(|way| {
            let found: Vec<f64> = places
                .iter()
                .filter_map(|of| of[way])
                .map(|place| 1.0 / place as f64)
                .collect();
            let asked = places.len().max(1) as f64;
            format!(
                "{:6.3} /{:6.3}",
                found.iter().sum::<f64>() / asked,
                found.len() as f64 / asked
            )
        })
        .collect();
    println!("{name:34} {:9}  {}", places.len(), columns.join("  "));
}

fn measure(folder: &Path, name: &str, mark: &str, mut out: Option<&mut String>) -> Vec<Places> {
    let place = std::env::temp_dir().join(format!("code_search_bench.{}", std::process::id()));
    let (root, state) = (place.join("tree"), place.join("state"));
    fs::create_dir_all(&state).expect("a folder for the index");
    let asked = questions::take_out(&index(folder, &place.join("before")), folder, &root, MOST);
    let index = index(&root, &state);
    let (words, _) =
        Concordance::refresh(&root, &state.join("words"), 2).expect("words can be read");
    let everything: Vec<Chunk> = index.chunks().collect();
    let meant: Vec<Vec<f32>> = everything
        .iter()
        .map(|chunk| StaticEmbedder.embed(&format!("{} {}", chunk.path, chunk.text)))
        .collect();
    let places = asked
        .iter()
        .enumerate()
        .map(|(number, question)| {
            let found = passages(&index, &words, &question.text, &[], COMPARED);
            if let Some(out) = out.as_deref_mut() {
                write_pieces(&format!("{name}-{number}\t{mark}"), question, &found, out);
            }
            let pieces: Vec<PieceOfCode<'_>> = found.iter().map(weighed).collect();
            let both = search_code(&StaticEmbedder, &question.text, &pieces, SHOWN)
                .expect("the embedder answers");
            let vector = StaticEmbedder.embed(&question.text);
            let mut near: Vec<(usize, f32)> = meant
                .iter()
                .map(|one| cosine(&vector, one))
                .enumerate()
                .collect();
            near.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
            let first = |chunks: &mut dyn Iterator<Item = &Chunk>| {
                chunks
                    .take(SHOWN)
                    .position(|chunk| question.is_answered_by(chunk))
                    .map(|at| at + 1)
            };
            [
                first(&mut found.iter().map(|passage| &passage.chunk)),
                first(&mut near.iter().map(|(at, _)| &everything[*at])),
                first(
                    &mut both
                        .iter()
                        .map(|found_piece| &found[found_piece.piece].chunk),
                ),
            ]
        })
        .collect();
    fs::remove_dir_all(&place).expect("what was made can be removed");
    places
}

fn index(root: &Path, state: &Path) -> Index {
    let options = Options {
        threads: 2,
        max_bytes: 1 << 21,
        skip: Skip::Usual,
        generated: Generated::Skip,
    };
    fs::create_dir_all(state).expect("a folder for the index");
    Index::build(root, state, &options, &mut |_| {})
        .expect("a folder that can be read")
        .0
}

fn weighed(passage: &Passage) -> PieceOfCode<'_> {
    PieceOfCode {
        path: &passage.chunk.path,
        name: &passage.chunk.name,
        text: &passage.chunk.text,
        signatures: &passage.signatures,
        functions: &passage.functions,
        words: passage.score,
        is_aside: passage.is_aside,
        is_inert: passage.is_inert,
    }
}

/// The question, whether it is held out and whether the piece is right; then how well its words fit, how near its text, its name, its place and
/// its signatures are and how near its text is to all, whether its name begins as the question does, whether it is aside, and whether it does nothing where the question asks what is done.
fn write_pieces(head: &str, question: &Question, found: &[Passage], out: &mut String) {
    let pieces: Vec<PieceOfCode<'_>> = found.iter().map(weighed).collect();
    let all = search_code(&StaticEmbedder, &question.text, &pieces, pieces.len())
        .expect("the embedder answers");
    for FoundPiece {
        piece,
        near,
        begins,
        shape,
        ..
    } in all
    {
        let passage = &found[piece];
        let _ = writeln!(
            out,
            "{head}\t{}\t{:.4}\t{:.4}\t{:.4}\t{:.4}\t{:.4}\t{:.4}\t{}\t{}\t{}",
            u8::from(question.is_answered_by(&passage.chunk)),
            passage.score,
            near.text,
            near.name,
            near.place,
            near.signatures,
            near.usual,
            u8::from(begins > 0.0),
            u8::from(passage.is_aside),
            u8::from(shape > 0.0),
        );
    }
}
