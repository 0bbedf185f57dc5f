//! The data sets, as stores of documents and questions with known answers.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use jiff::{SignedDuration, Timestamp};
use serde_json::{Map, Value};

pub(crate) struct Corpus {
    pub(crate) documents: Vec<String>,
    /// The day of each document, counted from any day that none is after.
    pub(crate) days: Vec<f64>,
    /// The number of the session that each document is of.
    pub(crate) sessions: Vec<usize>,
    pub(crate) questions: Vec<Question>,
}

pub(crate) struct Question {
    pub(crate) text: String,
    pub(crate) answers: BTreeSet<usize>,
    pub(crate) kind: String,
    /// When it was asked, where that is known.
    pub(crate) asked_at: Option<Timestamp>,
}

impl Corpus {
    /// How long before it is asked for a document was said.
    pub(crate) fn age(&self, document: usize) -> SignedDuration {
        let last = self.days.iter().copied().fold(0.0, f64::max);
        SignedDuration::from_secs(((last - self.days[document]) * 86_400.0) as i64)
    }

    pub(crate) fn kinds<'a>(corpora: impl Iterator<Item = &'a Self>) -> Vec<String> {
        let kinds = corpora
            .flat_map(|corpus| &corpus.questions)
            .map(|question| question.kind.clone());
        kinds.collect::<BTreeSet<_>>().into_iter().collect()
    }
}

/// Each conversation is a store, each turn a memory; adversarial questions are left out.
pub(crate) fn locomo(folder: &str) -> Vec<Corpus> {
    let whole: Value =
        serde_json::from_str(&unpack(&format!("{folder}/locomo_1to4.json.gz"))).unwrap();
    whole.as_array().unwrap().iter().map(conversation).collect()
}

fn conversation(item: &Value) -> Corpus {
    let talk = item["conversation"].as_object().unwrap();
    let (mut documents, mut days, mut places) = (Vec::new(), Vec::new(), BTreeMap::new());
    let mut sessions = Vec::new();
    for number in 1..=talk.len() {
        let Some(turns) = talk
            .get(&format!("session_{number}"))
            .and_then(Value::as_array)
        else {
            continue;
        };
        let day = day_of(
            talk.get(&format!("session_{number}_date_time"))
                .and_then(Value::as_str)
                .unwrap_or(""),
        );
        for turn in turns {
            let mut text = format!(
                "{}: {}",
                turn["speaker"].as_str().unwrap(),
                turn["text"].as_str().unwrap()
            );
            if let Some(caption) = turn["blip_caption"].as_str() {
                text = format!("{text} [image: {caption}]");
            }
            places.insert(turn["dia_id"].as_str().unwrap().to_owned(), documents.len());
            documents.push(text);
            days.push(day);
            sessions.push(number);
        }
    }
    let first = days.first().copied().unwrap_or(0.0);
    let days = days.into_iter().map(|day| day - first).collect();
    let questions = item["qa"].as_array().unwrap().iter().filter_map(|entry| {
        let kind = match entry["category"].as_u64()? {
            1 => "multi-hop",
            2 => "temporal",
            3 => "open domain",
            4 => "single-hop",
            _ => return None,
        };
        // An entry of evidence may name several turns: "D8:6; D9:17".
        let named = entry["evidence"]
            .as_array()?
            .iter()
            .filter_map(Value::as_str)
            .flat_map(|text| {
                text.split(|char: char| !(char.is_ascii_alphanumeric() || char == ':'))
                    .map(str::to_owned)
                    .collect::<Vec<_>>()
            });
        let answers: BTreeSet<usize> = named
            .filter_map(|name| places.get(&name).copied())
            .collect();
        let text = entry["question"].as_str()?.to_owned();
        (!answers.is_empty()).then(|| Question {
            text,
            answers,
            kind: kind.to_owned(),
            asked_at: None,
        })
    });
    Corpus {
        questions: questions.collect(),
        documents,
        days,
        sessions,
    }
}

/// "1:56 pm on 8 May, 2023" as days; months of thirty days are near enough to age by.
fn day_of(text: &str) -> f64 {
    const MONTHS: [&str; 12] = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ];
    let date = text.rsplit(" on ").next().unwrap_or("").replace(',', "");
    let parts: Vec<&str> = date.split_whitespace().collect();
    let [day, month, year] = parts[..] else {
        return 0.0;
    };
    let month = MONTHS
        .iter()
        .position(|name| month.starts_with(name))
        .unwrap_or(0);
    year.parse::<f64>().unwrap_or(0.0) * 360.0
        + month as f64 * 30.0
        + day.parse::<f64>().unwrap_or(0.0)
}

/// All turns of all sessions in one store; turns longer than `longest` bytes are cut.
pub(crate) fn long_mem_eval(folder: &str, longest: usize) -> Corpus {
    let lines = long_mem_eval_lines(folder);
    let told: Vec<&Value> = lines.iter().filter(|line| is_session(line)).collect();
    let asked = lines.iter().filter_map(|line| line["q"].as_object());
    let has_answer = |turn: &Value| turn["has_answer"].as_bool() == Some(true);
    let asked: Vec<&Map<String, Value>> = asked.collect();
    store_of(&told, &asked, &ages_of(&lines), longest, has_answer)
}

/// How many sessions each question of the published set is asked among.
const HAYSTACK: usize = 48;

/// For each question a store of its own: its sessions and, drawn by a hash, as many others as make a haystack. Every turn of a
/// session that has the answer is right. Questions that have none are left out. Each `draw` has other sessions.
pub(crate) fn haystacks(folder: &str, draw: usize) -> Vec<Corpus> {
    let lines = long_mem_eval_lines(folder);
    let told: Vec<&Value> = lines.iter().filter(|line| is_session(line)).collect();
    let asked = lines.iter().filter_map(|line| line["q"].as_object());
    let ages = ages_of(&lines);
    let salt = if draw == 0 {
        String::new()
    } else {
        format!("{draw} ")
    };
    let stores = asked.filter_map(|question| {
        let id = question["question_id"].as_str()?;
        let own = own_sessions(question);
        let draw = |session: &Value| {
            let name = session["session"].as_str().unwrap();
            (!own.contains(name), fnv(&format!("{salt}{id} {name}")))
        };
        let mut sessions = told.clone();
        sessions.sort_by_cached_key(|session| draw(session));
        sessions.truncate(HAYSTACK.max(own.len()));
        sessions.sort_by_cached_key(|session| session["session"].as_str().unwrap().to_owned());
        let store = store_of(&sessions, &[question], &ages, usize::MAX, |_| true);
        (!id.ends_with("_abs") && !store.questions.is_empty()).then_some(store)
    });
    stores.collect()
}

fn long_mem_eval_lines(folder: &str) -> Vec<Value> {
    let text = unpack(&format!("{folder}/longmemeval_half_a.jsonl.gz"));
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn is_session(line: &Value) -> bool {
    line["session"].is_string()
}

/// How many days before its own question each session was. So old it is to every question: real dates would give away which sessions are of
/// one question.
fn ages_of(lines: &[Value]) -> BTreeMap<&str, f64> {
    let asked = lines.iter().filter_map(|line| line["q"].as_object());
    let told = asked.flat_map(|question| {
        let now = moment(question["question_date"].as_str().unwrap());
        let sessions = question["haystack"].as_array().unwrap().iter();
        sessions.map(move |session| {
            let age = now.duration_since(moment(session[1].as_str().unwrap()));
            (
                session[2].as_str().unwrap(),
                age.as_secs_f64().max(0.0) / 86_400.0,
            )
        })
    });
    told.collect()
}

/// "2023/05/28 (Sun) 12:58".
fn moment(text: &str) -> Timestamp {
    let (date, rest) = text.split_at(10);
    let time = rest.rsplit(' ').next().unwrap();
    format!("{}T{time}:00Z", date.replace('/', "-"))
        .parse()
        .unwrap()
}

/// The sessions that a question was published with.
fn own_sessions(question: &Map<String, Value>) -> BTreeSet<&str> {
    let sessions = question["haystack"].as_array().unwrap().iter();
    sessions.filter_map(|session| session[2].as_str()).collect()
}

/// The turns of `told` with the questions that they answer; right are those turns of a question's sessions that `counts`.
fn store_of(
    told: &[&Value],
    asked: &[&Map<String, Value>],
    ages: &BTreeMap<&str, f64>,
    longest: usize,
    counts: impl Fn(&Value) -> bool,
) -> Corpus {
    let (mut documents, mut days, mut sessions) = (Vec::new(), Vec::new(), Vec::new());
    let mut answers_of: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (number, session) in told.iter().enumerate() {
        for turn in session["turns"].as_array().unwrap() {
            if counts(turn) {
                answers_of
                    .entry(session["session"].as_str().unwrap())
                    .or_default()
                    .push(documents.len());
            }
            let content = turn["content"].as_str().unwrap();
            documents.push(content[..content.floor_char_boundary(longest)].to_owned());
            days.push(-ages[session["session"].as_str().unwrap()]);
            sessions.push(number);
        }
    }
    let questions = asked.iter().filter_map(|question| {
        let right: BTreeSet<&str> = question["answer_session_ids"]
            .as_array()?
            .iter()
            .filter_map(Value::as_str)
            .collect();
        let sessions = question["haystack"].as_array()?.iter();
        let answers: BTreeSet<usize> = sessions
            .filter(|session| session[0].as_str().is_some_and(|name| right.contains(name)))
            .filter_map(|session| answers_of.get(session[2].as_str()?))
            .flatten()
            .copied()
            .collect();
        let text = question["question"].as_str()?.to_owned();
        let kind = question["question_type"].as_str()?.to_owned();
        (!answers.is_empty()).then_some(Question {
            text,
            answers,
            kind,
            asked_at: Some(moment(question["question_date"].as_str()?)),
        })
    });
    Corpus {
        questions: questions.collect(),
        documents,
        days,
        sessions,
    }
}

/// A hash that is the same everywhere.
pub(crate) fn fnv(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// The commits of each repository, oldest first.
pub(crate) fn histories(folder: &str) -> Vec<Vec<Value>> {
    let entries =
        std::fs::read_dir(format!("{folder}/cochange")).expect("the folder has lists of commits");
    let mut paths: Vec<String> = entries
        .map(|entry| entry.unwrap().path().to_string_lossy().into_owned())
        .collect();
    paths.sort();
    paths.iter().map(|path| read_commits(path)).collect()
}

/// The commits of one repository, oldest first.
pub(crate) fn commits(folder: &str, name: &str) -> Vec<Value> {
    read_commits(&format!("{folder}/cochange/{name}.jsonl.gz"))
}

/// What the commits of these repositories say, each thing once.
pub(crate) fn messages(folder: &str, repositories: &[&str]) -> Vec<String> {
    let all = repositories.iter().flat_map(|name| commits(folder, name));
    let said = all.filter_map(|commit| {
        let message = commit["msg"].as_str()?.trim();
        let end = message.floor_char_boundary(2000);
        (message.len() > 20).then(|| message[..end].to_owned())
    });
    let mut seen = BTreeSet::new();
    said.filter(|message| seen.insert(message.clone()))
        .collect()
}

fn read_commits(path: &str) -> Vec<Value> {
    let text = unpack(path);
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn unpack(path: &str) -> String {
    let output = Command::new("gzip")
        .args(["-dc", path])
        .output()
        .expect("gzip is there");
    assert!(output.status.success(), "{path} cannot be unpacked");
    String::from_utf8(output.stdout).unwrap()
}
