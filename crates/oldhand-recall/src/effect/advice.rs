//! What the words of a memory advise. What they forbid or say went wrong is no advice, and where it cannot be told nothing is.

/// A text in two: what it says to do, and what else it names.
#[derive(Default)]
pub(super) struct Advice<'a> {
    pub(super) advised: Vec<&'a str>,
    pub(super) others: Vec<&'a str>,
}

/// What an answer begins with that has a colon behind it, perhaps after a remark: `What worked instead (with `-x`): …`.
const ANSWERS: [&str; 2] = ["instead", "what helped"];
/// What an answer begins with at once.
const ANSWERS_AT_ONCE: [&str; 3] = ["it passed after ", "run it as ", "mended in "];
/// A message of a program follows, in which any word may stand.
const FAILURES: [&str; 2] = [" fails with \"", " failed here with \""];

/// Words that turn against what follows them.
const AGAINST: [&str; 14] = [
    "never",
    "not",
    "dont",
    "avoid",
    "no",
    "nor",
    "neither",
    "none",
    "nothing",
    "without",
    "cannot",
    "instead",
    "rather",
    "forbidden",
];
/// The same in other languages that are written with these letters.
const AGAINST_ABROAD: [&str; 17] = [
    "nie", "niemals", "nicht", "kein", "keine", "keinen", "jamais", "pas", "nunca", "jamás", "mai",
    "non", "nooit", "niet", "geen", "não", "aldrig",
];
/// How words begin that say what goes wrong.
const HARM: [&str; 26] = [
    "fail", "break", "broke", "hang", "crash", "wrong", "refus", "reject", "delet", "destroy",
    "overwrit", "corrupt", "flak", "deprecat", "obsolet", "outdat", "danger", "forbid", "block",
    "lose", "lost", "wipe", "stuck", "stop", "slow", "leak",
];
/// Behind these stands what it is for, when it holds or what it is better than.
const BEYOND: [&str; 14] = [
    "than", "over", "to", "for", "when", "if", "unless", "because", "since", "before", "after",
    "as", "while", "until",
];
/// What may stand before the verb of an order.
const BEFORE_ORDERS: [&str; 14] = [
    "please", "always", "just", "only", "then", "so", "and", "we", "you", "must", "should", "to",
    "instead", "first",
];
const ORDERS: [&str; 22] = [
    "use", "run", "call", "prefer", "start", "set", "pass", "add", "edit", "read", "open",
    "execute", "invoke", "write", "put", "see", "check", "try", "import", "install", "work",
    "build",
];

/// Tells what a text advises. A text that warns of nothing advises what it names; of another only its answer counts, or its orders.
pub(super) fn of(text: &str) -> Advice<'_> {
    // As long as the text, so that what is found in one is found in the other.
    let lower = text.to_ascii_lowercase();
    let mut told = Advice::default();
    if let Some(at) = answer(&lower) {
        let (before, after) = text.split_at(at);
        let end = after.find(". ").unwrap_or(after.len());
        let (answer, after) = after.split_at(end);
        told.others.push(before);
        told.cut(answer, answer, &[]);
        told.orders_in(after);
    } else if FAILURES.iter().any(|words| lower.contains(words)) || text.chars().any(is_abroad) {
        told.others.push(text);
    } else if lower.split_whitespace().any(warns) {
        told.orders_in(text);
    } else {
        told.advised.push(text);
    }
    told
}

impl<'a> Advice<'a> {
    fn orders_in(&mut self, text: &'a str) {
        let clauses = text.split([',', ';', '\n', '"', '(', ')', '—', '!']);
        let clauses = clauses.flat_map(|part| part.split(". "));
        let clauses = clauses.flat_map(|part| part.split(": "));
        for clause in clauses.flat_map(|part| part.split(" but ")) {
            match ordered(clause) {
                Some(what) => self.cut(clause, what, &BEYOND),
                None => self.others.push(clause),
            }
        }
    }

    /// Takes `what`, the end of `whole`, as advice up to a word that turns against what follows, or one of `ends`.
    fn cut(&mut self, whole: &'a str, what: &'a str, ends: &[&str]) {
        let is_end = |word: &str| turns(&plain(word)) || ends.contains(&plain(word).as_str());
        let end = words(what).find(|(_, word)| is_end(word));
        let (advised, beyond) = what.split_at(end.map_or(what.len(), |(at, _)| at));
        self.others.push(&whole[..whole.len() - what.len()]);
        self.advised.push(advised);
        self.others.push(beyond);
    }
}

/// Where the last answer of a text begins.
fn answer(lower: &str) -> Option<usize> {
    let behind = |lead: &&str| Some(lower.rfind(*lead)? + lead.len());
    let with_colon = ANSWERS.iter().filter_map(|lead| {
        let at = behind(lead)?;
        let colon = lower[at..].find(": ")?;
        let remark = lower[at..at + colon].trim();
        let is_remark = remark.is_empty()
            || remark.starts_with('(') && remark.ends_with(')')
            || remark.ends_with(" times");
        is_remark.then_some(at + colon + ": ".len())
    });
    with_colon
        .chain(ANSWERS_AT_ONCE.iter().filter_map(behind))
        .max()
}

/// What stands behind the verb of a clause that is an order.
fn ordered(clause: &str) -> Option<&str> {
    // A bullet or a number has no letters.
    let mut words = words(clause)
        .filter(|(_, word)| word.contains(char::is_alphabetic))
        .map(|(at, word)| (at + word.len(), plain(word)))
        .skip_while(|(_, word)| BEFORE_ORDERS.contains(&word.as_str()));
    let (end, verb) = words.next()?;
    let is_noun = words.next().is_some_and(|(_, word)| word == "of");
    (ORDERS.contains(&verb.as_str()) && !is_noun).then(|| &clause[end..])
}

/// The words of a text and where each begins.
fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut next = 0;
    text.split_inclusive(char::is_whitespace)
        .map(move |word| {
            let at = next;
            next += word.len();
            (at, word.trim_end())
        })
        .filter(|(_, word)| !word.is_empty())
}

/// A word without the marks around it; nothing of what has marks inside, which is a name.
fn plain(word: &str) -> String {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric());
    let is_word = word.chars().all(|c| c.is_alphabetic() || "'’".contains(c));
    let word = if is_word { word } else { "" };
    word.replace('’', "'").to_lowercase()
}

fn turns(word: &str) -> bool {
    AGAINST.contains(&word) || AGAINST_ABROAD.contains(&word) || word.ends_with("n't")
}

fn warns(word: &str) -> bool {
    let word = plain(word);
    turns(&word) || HARM.iter().any(|harm| word.starts_with(harm))
}

/// A letter of a script whose words for "never" are not known here.
fn is_abroad(letter: char) -> bool {
    let is_latin = letter < '\u{370}' || ('\u{1e00}'..='\u{1eff}').contains(&letter);
    letter.is_alphabetic() && !is_latin
}
