//! What relevance and nearness mean, fitted for a model: the constants of `oldhand_recall::calibration`.

mod crowd;
use std::collections::BTreeSet;

use oldhand_domain::port::Embedder;
use oldhand_recall::calibration::{CROWD, KNOWN, Met};
use oldhand_recall::candidate::{BAR, may_speak};
use oldhand_recall::plan::{RecentWork, plan};

use crate::data;
use crate::pipeline;
use crate::projects::{Projects, Split};
use crate::systems::Prepared;

use crowd::Own;

/// Fits everything for one model and prints how true it is on what was kept back.
pub(crate) fn calibrate(folder: &str, embedder: &'static dyn Embedder) {
    let mut stores: Vec<Prepared> = data::locomo(folder)
        .into_iter()
        .chain([data::long_mem_eval(folder, usize::MAX)])
        .map(|corpus| Prepared::new(corpus, embedder))
        .collect();
    let [talk, judged_talk] = ask_talk(&stores);
    let [tuning, held] = [Split::Tuning, Split::Held].map(|split| {
        let projects = Projects::read(folder, split);
        let small = SIZES.map(|size| ask_small(&projects, size, embedder));
        let strangers = crowd::strangers(folder, split);
        let crowded = crowd::NUMBERS.map(|number| {
            let among = |own: Own| crowd::ask(&projects, own, &strangers[..number], embedder);
            [Own::All, Own::One].map(among)
        });
        (crowded, small)
    });
    let rows = |asked: &[Asked], weight: f64| -> Vec<Row> {
        let rows = asked.iter().flat_map(|asked| {
            let items = asked.items.iter();
            items.map(|(known, right)| Row {
                known: *known,
                crowd: CROWD * asked.crowd,
                right: f64::from(u8::from(*right)),
                counts: weight,
            })
        });
        rows.collect()
    };
    let mut all = rows(&talk, TALK);
    for (number, asked) in tuning.0.iter().enumerate() {
        let [whole, few] = asked;
        all.extend(rows(whole, if number == 0 { WHOLE } else { 1.0 }));
        all.extend(rows(few, 1.0));
    }
    for small in &tuning.1 {
        all.extend(rows(small, SMALL));
    }
    let mut weights = logistic(&all);
    weights[KNOWN - 1] += WORK;
    println!("\n## {}: relevance\n", embedder.model());
    println!(
        "Fitted on {} items of questions about talk, of tasks in five projects, of these with one to sixteen of their memories, and of these among up to ten thousand strangers. Everything below was kept back, but for the table of strangers, which shows both.",
        all.len()
    );
    crowd::print(
        &[
            ("five projects to tune on", &tuning.0),
            ("five other projects", &held.0),
        ],
        &weights,
    );
    let [[whole, _], ..] = held.0;
    let mut sets = vec![
        ("five other projects, all memories".to_owned(), whole),
        (
            "the other half of the questions about talk".to_owned(),
            judged_talk,
        ),
    ];
    for (size, asked) in SIZES.iter().zip(held.1) {
        let memories = if *size == 1 { "memory" } else { "memories" };
        sets.push((format!("five other projects, {size} {memories}"), asked));
    }
    for (name, asked) in &sets[..2] {
        print_bins(name, asked, &weights);
    }
    print_bars(&sets, &weights);
    println!(
        "\n## {}: how near chance brings the nearest\n",
        embedder.model()
    );
    let largest = stores.pop().expect("there is a store");
    let chance = by_chance(&largest);
    stores.push(largest);
    right_answers(&stores);
    let [lanes, cosine, near, together, doubling, behind, start] = weights;
    println!(
        "\n`{}`: `relevance: [{lanes:.2}, {cosine:.1}, {near:.1}, {together:.2}, {doubling:.2}, {behind:.2}, {start:.1}], chance: [{:.2}, {:.3}]`",
        embedder.model(),
        chance[0],
        chance[1]
    );
}

/// An item to fit on.
struct Row {
    known: [f64; KNOWN],
    /// What the number of memories beyond what lanes show costs it, which is not fitted.
    crowd: f64,
    /// One where it is right, else nothing.
    right: f64,
    /// How much it counts.
    counts: f64,
}

/// How many memories a young project has.
const SIZES: [usize; 5] = [1, 2, 4, 8, 16];
/// How much an item of a whole project counts, one of a part of it, and one of talk, which is no work: of the last there are most by far.
const WHOLE: f64 = 6.0;
const SMALL: f64 = 3.0;
const TALK: f64 = 0.3;
/// How much likelier an answer to work is than one to talk and among strangers, which are most of what is fitted on. Chosen on the projects to
/// tune on in steps of a tenth: with it, and with one step more, no foreign task hears anything that it did not hear without.
const WORK: f64 = 0.1;
/// How many items of each answer are looked at.
const ITEMS: usize = 20;

/// What came of asking a store once.
struct Asked {
    knows: Knows,
    /// Whether the task comes nearer to anything than chance brings it.
    may_speak: bool,
    /// How often the memories double beyond what lanes show of them.
    crowd: f64,
    /// What is known of each item, best first, and whether it is right.
    items: Vec<([f64; KNOWN], bool)>,
}

/// What a store knows of the answer.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Knows {
    It,
    /// It would belong here, and was taken out.
    ItNoMore,
    /// The task is of another world.
    Nothing,
}

fn ask(store: &Prepared, question: &str, answers: &BTreeSet<usize>, knows: Knows) -> Asked {
    let plan = plan(question, RecentWork::Ordinary).for_model(store.model());
    let (candidates, nearest) = pipeline::candidates(store, question, Some(pipeline::Known::Store));
    let memories = store.corpus.documents.len();
    let met = candidates.first().map(|best| Met {
        lanes: best.because.fused - best.because.reading.map_or(0.0, |reading| reading.lift),
        words: plan.words.len(),
        memories,
    });
    let items = candidates.iter().take(ITEMS).filter_map(|candidate| {
        let own = candidate.own(candidates.first()?.because.fused);
        let is_right = answers.contains(&pipeline::number_of(candidate.memory.id));
        Some((met?.weigh(&own), is_right))
    });
    Asked {
        knows,
        may_speak: may_speak(nearest, &plan, memories),
        crowd: met.map_or(0.0, |met| met.crowd()),
        items: items.collect(),
    }
}

/// Each question of its own store and of one where nothing answers it; every second question is kept back.
fn ask_talk(stores: &[Prepared]) -> [Vec<Asked>; 2] {
    let mut halves = [Vec::new(), Vec::new()];
    let mut count = 0;
    for (number, store) in stores.iter().enumerate() {
        for question in &store.corpus.questions {
            let other =
                &stores[(number + 1 + question.text.len() % (stores.len() - 1)) % stores.len()];
            let half = &mut halves[count % 2];
            half.push(ask(store, &question.text, &question.answers, Knows::It));
            half.push(ask(other, &question.text, &BTreeSet::new(), Knows::Nothing));
            count += 1;
        }
    }
    halves
}

/// The same tasks where a project has so few memories: one of the right ones and others by chance, or only others.
fn ask_small(projects: &Projects, size: usize, embedder: &'static dyn Embedder) -> Vec<Asked> {
    let mut draws = Draws(77 + size as u64);
    let mut asked = Vec::new();
    for corpus in &projects.corpora {
        let all = &corpus.documents;
        let mut store_with = |right: Option<usize>, wrong: &BTreeSet<usize>| {
            let mut chosen: Vec<usize> = right.into_iter().collect();
            while chosen.len() < size {
                let at = draws.below(all.len());
                if !chosen.contains(&at) && !wrong.contains(&at) {
                    chosen.push(at);
                }
            }
            prepare(chosen.iter().map(|at| all[*at].clone()).collect(), embedder)
        };
        for question in &corpus.questions {
            let answers = &question.answers;
            let right = answers.iter().nth(question.text.len() % answers.len());
            let with = store_with(right.copied(), answers);
            asked.push(ask(&with, &question.text, &BTreeSet::from([0]), Knows::It));
            let without = store_with(None, answers);
            asked.push(ask(
                &without,
                &question.text,
                &BTreeSet::new(),
                Knows::ItNoMore,
            ));
        }
        for foreign in &projects.foreign {
            let store = store_with(None, &BTreeSet::new());
            asked.push(ask(&store, foreign, &BTreeSet::new(), Knows::Nothing));
        }
    }
    asked
}

fn prepare(documents: Vec<String>, embedder: &'static dyn Embedder) -> Prepared {
    let corpus = data::Corpus {
        days: vec![0.0; documents.len()],
        sessions: (0..documents.len()).collect(),
        documents,
        questions: Vec::new(),
    };
    Prepared::new(corpus, embedder)
}

fn chance(known: &[f64; KNOWN], weights: &[f64; KNOWN], crowd: f64) -> f64 {
    let values = known.iter().zip(weights);
    sigmoid(values.map(|(value, weight)| value * weight).sum::<f64>() + crowd)
}

impl Asked {
    /// How likely each item is by these weights, and whether it is right.
    fn judge(&self, weights: &[f64; KNOWN]) -> impl Iterator<Item = (f64, bool)> {
        let items = self.items.iter();
        items.map(|(known, right)| (chance(known, weights, CROWD * self.crowd), *right))
    }

    /// What would be said of it at this bar: for each line whether it is right.
    fn told(&self, weights: &[f64; KNOWN], bar: f64) -> Vec<bool> {
        let said = self.judge(weights).filter(|_| self.may_speak);
        said.filter(|(chance, _)| *chance >= bar)
            .map(|(_, right)| right)
            .collect()
    }
}

fn print_bins(name: &str, asked: &[Asked], weights: &[f64; KNOWN]) {
    println!(
        "\nWhat relevance is worth, {name}:\n\n| relevance | items | right |\n| --- | --- | --- |"
    );
    for bounds in [0.0, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1.01].windows(2) {
        let items = asked.iter().flat_map(|asked| asked.judge(weights));
        let inside: Vec<bool> = items
            .filter(|(chance, _)| (bounds[0]..bounds[1]).contains(chance))
            .map(|(_, right)| right)
            .collect();
        let right = inside.iter().filter(|right| **right).count();
        println!(
            "| {:.2}–{:.2} | {} | {} |",
            bounds[0],
            bounds[1].min(1.0),
            inside.len(),
            percent(right, inside.len())
        );
    }
}

/// What is said at each bar: nothing where the task comes no nearer to anything than chance brings it.
fn print_bars(sets: &[(String, Vec<Asked>)], weights: &[f64; KNOWN]) {
    println!(
        "\n| asked of | bar | says a right one where there is one | first line right | all lines right | speaks to foreign tasks | speaks where the right ones were taken out |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- |");
    for (name, asked) in sets {
        let bars: &[f64] = if name.ends_with("all memories") || name.ends_with("talk") {
            &[0.2, 0.3, BAR, 0.5, 0.6]
        } else {
            &[BAR]
        };
        for bar in bars {
            let told = |asked: &Asked| asked.told(weights, *bar);
            let which = |knows: Knows| asked.iter().filter(move |asked| asked.knows == knows);
            let speaks = |knows: Knows| match which(knows).count() {
                0 => "–".to_owned(),
                all => percent(
                    which(knows).filter(|asked| !told(asked).is_empty()).count(),
                    all,
                ),
            };
            let answers: Vec<Vec<bool>> = which(Knows::It).map(told).collect();
            let spoken: Vec<&Vec<bool>> = answers.iter().filter(|told| !told.is_empty()).collect();
            let lines: Vec<bool> = spoken
                .iter()
                .flat_map(|told| told.iter().copied())
                .collect();
            println!(
                "| {name} | {bar:.2} | {} | {} | {} | {} | {} |",
                percent(
                    answers.iter().filter(|told| told.contains(&true)).count(),
                    answers.len()
                ),
                percent(spoken.iter().filter(|told| told[0]).count(), spoken.len()),
                percent(lines.iter().filter(|right| **right).count(), lines.len()),
                speaks(Knows::Nothing),
                speaks(Knows::ItNoMore),
            );
        }
    }
}

fn percent(part: usize, whole: usize) -> String {
    format!("{:.0} %", 100.0 * part as f64 / whole.max(1) as f64)
}

/// How many questions of nonsense are asked of each size of a store.
const NONSENSE: usize = 400;
/// As near as this share of them comes.
const SHARE: f64 = 0.75;

/// Asks words that nobody ever said of stores of several sizes: where the nearest lies, and how that grows with their number.
fn by_chance(store: &Prepared) -> [f64; 2] {
    println!(
        "| memories | half of the questions come nearer than | one in four | one in twenty |\n| --- | --- | --- | --- |"
    );
    let mut draws = Draws(0x9e37_79b9_7f4a_7c15);
    let mut points = Vec::new();
    let mut memories = 25;
    while memories <= store.vectors.len() {
        let mut nearest: Vec<f64> = (0..NONSENSE)
            .map(|_| {
                let vector = store.embed(&draws.nonsense());
                let some = draws.some(memories, store.vectors.len());
                let cosines = some
                    .into_iter()
                    .map(|at| oldhand_embed::cosine(&vector, &store.vectors[at]));
                cosines.fold(0.0, |nearest, cosine| f64::from(cosine).max(nearest))
            })
            .collect();
        nearest.sort_by(f64::total_cmp);
        let at = |share: f64| nearest[(share * NONSENSE as f64) as usize];
        println!(
            "| {memories} | {:.2} | {:.2} | {:.2} |",
            at(0.5),
            at(0.75),
            at(0.95)
        );
        points.push(((memories as f64).log2(), at(SHARE)));
        memories *= 4;
    }
    let count = points.len() as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / count;
    let (x, y) = (mean(|point| point.0), mean(|point| point.1));
    let slope = points
        .iter()
        .map(|point| (point.0 - x) * (point.1 - y))
        .sum::<f64>()
        / points
            .iter()
            .map(|point| (point.0 - x).powi(2))
            .sum::<f64>();
    [y - slope * x, slope]
}

/// How near the right answers are, for those questions that no word leads to an answer: what silence by nearness costs.
fn right_answers(stores: &[Prepared]) {
    let mut near = Vec::new();
    for store in stores {
        for question in &store.corpus.questions {
            let words = plan(&question.text, RecentWork::Ordinary).words;
            let led: BTreeSet<usize> = store
                .text
                .search(&words)
                .into_iter()
                .map(|(at, _)| at)
                .collect();
            if question.answers.is_disjoint(&led) {
                let vector = store.embed(&question.text);
                let cosines = question
                    .answers
                    .iter()
                    .map(|&at| oldhand_embed::cosine(&vector, &store.vectors[at]));
                near.push(cosines.fold(0.0, |nearest, cosine| f64::from(cosine).max(nearest)));
            }
        }
    }
    near.sort_by(f64::total_cmp);
    let at = |share: f64| {
        near.get((share * near.len() as f64) as usize)
            .copied()
            .unwrap_or_default()
    };
    println!(
        "\nOf {} questions that share no telling word with a right answer, a quarter comes nearer to it than {:.2}, half than {:.2}, three in four than {:.2}.",
        near.len(),
        at(0.75),
        at(0.5),
        at(0.25)
    );
}

/// Numbers that are the same in every run.
struct Draws(u64);

impl Draws {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % end as u64) as usize
    }

    /// One to four words of four to nine letters, every second one a vowel: what a slip of the hand or a foreign word looks like.
    fn nonsense(&mut self) -> String {
        let letters: [&[u8]; 2] = [b"bcdfghjklmnpqrstvwxz", b"aeiouy"];
        let words: Vec<String> = (0..=self.below(4))
            .map(|_| {
                let length = 4 + self.below(6);
                (0..length)
                    .map(|at| char::from(letters[at % 2][self.below(letters[at % 2].len())]))
                    .collect()
            })
            .collect();
        words.join(" ")
    }

    fn some(&mut self, count: usize, of: usize) -> BTreeSet<usize> {
        let mut chosen = BTreeSet::new();
        while chosen.len() < count.min(of) {
            chosen.insert(self.below(of));
        }
        chosen
    }
}

/// How much weights are held back: so few tasks must not be learned by heart.
const HELD_BACK: f64 = 1e-4;

/// Newton's method.
fn logistic(rows: &[Row]) -> [f64; KNOWN] {
    let mut weights = [0.0; KNOWN];
    for _ in 0..30 {
        let mut gradient = weights.map(|weight| -HELD_BACK * weight);
        let mut curve = [[0.0; KNOWN]; KNOWN];
        for (at, row) in curve.iter_mut().enumerate() {
            row[at] = HELD_BACK;
        }
        for Row {
            known,
            crowd,
            right,
            counts,
        } in rows
        {
            let chance = chance(known, &weights, *crowd);
            for i in 0..KNOWN {
                gradient[i] += counts * (right - chance) * known[i];
                for j in 0..KNOWN {
                    curve[i][j] += counts * chance * (1.0 - chance) * known[i] * known[j];
                }
            }
        }
        let step = solve(curve, gradient);
        for (weight, step) in weights.iter_mut().zip(step) {
            *weight += step;
        }
    }
    weights
}

fn sigmoid(value: f64) -> f64 {
    1.0 / (1.0 + (-value).exp())
}

/// Gauss elimination; the matrix is positive definite, so that no pivoting is needed.
fn solve(mut matrix: [[f64; KNOWN]; KNOWN], mut right: [f64; KNOWN]) -> [f64; KNOWN] {
    for column in 0..KNOWN {
        let pivot = matrix[column];
        for row in column + 1..KNOWN {
            let factor = matrix[row][column] / pivot[column];
            for (value, above) in matrix[row].iter_mut().zip(pivot) {
                *value -= factor * above;
            }
            right[row] -= factor * right[column];
        }
    }
    for row in (0..KNOWN).rev() {
        let known: f64 = (row + 1..KNOWN).map(|at| matrix[row][at] * right[at]).sum();
        right[row] = (right[row] - known) / matrix[row][row];
    }
    right
}
