//! Rules laid down in other languages than English: a word that reaches further than the task stands where it governs the order. Most of
//! what has such a word is a report ("es stürzt immer ab", 「毎回失敗する」) or a wish for the product, so that where a report
//! and an order are spelled alike nothing is heard.

use super::cues::{OF_WORK, TOOLS};
use super::places_of;

mod east;
mod west;

/// One table each.
const TONGUES: [Tongue; 7] = [
    east::JAPANESE,
    east::KOREAN,
    east::CHINESE,
    west::GERMAN,
    west::FRENCH,
    west::SPANISH,
    west::PORTUGUESE,
];

/// How a language lays something down.
struct Tongue {
    writing: Writing,
    /// Openings of a clause that reach further; an order has to follow.
    from_now: &'static [&'static str],
    always: &'static [&'static str],
    never: &'static [&'static str],
    /// "Must": reaches further only where it is said of what happens again and again.
    must: &'static [&'static str],
    /// "Before each": what stands beside it is a thing of work.
    again: &'static [&'static str],
    /// What can only order; in Japanese and Korean it ends a sentence.
    orders: &'static [&'static str],
    /// What ends a sentence that forbids.
    refusals: &'static [&'static str],
    /// Verbs that order beside a word of asking, and such words.
    wishes: &'static [&'static str],
    please: &'static [&'static str],
    /// Verbs that order where "always" or "never" comes first.
    infinitives: &'static [&'static str],
    /// What is done once and then over.
    once: &'static [&'static str],
    /// Words of the moment, of what only the talk knows, of what went wrong, and of what users of the product see.
    told: &'static [&'static str],
    /// What has such a word and lasts.
    here: &'static [&'static str],
    /// With what a rule is asked to be written down.
    written: &'static [&'static str],
    /// Things of work.
    work: &'static [&'static str],
}

/// What a table says nothing of.
const UNKNOWN: Tongue = Tongue {
    writing: Writing::Apart,
    from_now: &[],
    always: &[],
    never: &[],
    must: &[],
    again: &[],
    orders: &[],
    refusals: &[],
    wishes: &[],
    please: &[],
    infinitives: &[],
    once: &[],
    told: &[],
    here: &[],
    written: &[],
    work: &[],
};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Writing {
    Japanese,
    Korean,
    Chinese,
    /// In letters, with words written apart.
    Apart,
}

impl Writing {
    fn of(text: &str) -> Self {
        let has = |of: fn(char) -> bool| text.contains(of);
        if has(|c| matches!(c, '\u{3041}'..='\u{30ff}')) {
            Self::Japanese
        } else if has(|c| matches!(c, '\u{ac00}'..='\u{d7a3}')) {
            Self::Korean
        } else if has(is_ideograph) {
            Self::Chinese
        } else {
            Self::Apart
        }
    }
}

/// Whether a letter is of a script in which one or two are a word.
pub(super) fn is_dense(c: char) -> bool {
    is_ideograph(c) || matches!(c, '\u{3041}'..='\u{30ff}' | '\u{ac00}'..='\u{d7a3}')
}

fn is_ideograph(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{9fff}')
}

/// Whether a sentence lays something down in another language; `Some(false)` where it speaks of the moment only.
pub(super) fn lays_down(sentence: &str) -> Option<bool> {
    let said = said(sentence);
    let tongue = spoken(&said)?;
    Some(!tongue.has(&tongue.lasting(&said), tongue.told))
}

/// Whether a rule of another language names a thing of work.
pub(super) fn names_work(sentence: &str) -> bool {
    let named = without_quoted(sentence, &[]);
    spoken(&said(sentence)).is_some_and(|tongue| tongue.names_work(&named))
}

/// Whether a rule of another language holds from now on: what it names besides is then chosen for the work to come.
pub(super) fn is_from_now(sentence: &str) -> bool {
    let said = said(sentence);
    spoken(&said).is_some_and(|tongue| tongue.begins(&said).is_some())
}

/// The words that say that something lasts.
fn reaching() -> impl Iterator<Item = &'static str> {
    let lists = TONGUES
        .iter()
        .flat_map(|tongue| [tongue.from_now, tongue.always, tongue.never, tongue.must]);
    lists.flatten().copied()
}

/// Whether a word, which may lack an "s" at its end, is one of those.
pub(super) fn reaches(word: &str) -> bool {
    let mut words = reaching().flat_map(|phrase| phrase.split(' '));
    words.any(|one| one.trim_end_matches('s') == word)
}

/// A text without those that are not written apart.
pub(super) fn without_reaching(text: &str) -> String {
    let dense = reaching().filter(|phrase| phrase.contains(is_dense));
    dense.fold(text.to_owned(), |text, phrase| text.replace(phrase, " "))
}

/// A sentence in small letters, without what it only quotes and without code.
fn said(sentence: &str) -> String {
    without_quoted(sentence, &[('`', "`")])
}

/// A sentence in small letters without what stands between marks; those of its own tongue, and `more`.
fn without_quoted(sentence: &str, more: &[(char, &'static str)]) -> String {
    const MARKS: [(char, &str); 9] = [
        ('「', "」"),
        ('『', "』"),
        ('《', "》"),
        ('«', "»"),
        ('„', "“”"),
        ('“', "”"),
        ('‘', "’"),
        ('"', "\""),
        ('»', "«"),
    ];
    let mut awaited: Option<&str> = None;
    let lower = sentence.to_lowercase();
    let own = lower.chars().filter(|&c| {
        if let Some(ends) = awaited {
            awaited = Some(ends).filter(|ends| !ends.contains(c));
            return false;
        }
        let mut marks = MARKS.iter().chain(more);
        awaited = marks.find(|(mark, _)| *mark == c).map(|(_, ends)| *ends);
        awaited.is_none()
    });
    own.collect::<String>().replace('’', "'")
}

/// The language in which a sentence is an order that lasts.
fn spoken(said: &str) -> Option<&'static Tongue> {
    // A line of code, or what is said of such words in English, lays nothing down.
    let is_comment = said.starts_with("//") || said.starts_with('#');
    let is_english = ["the", "is", "says", "translate", "const", "let"];
    if is_comment
        || is_english
            .iter()
            .any(|word| places_of(said, word).next().is_some())
    {
        return None;
    }
    let writing = Writing::of(said);
    let mut tongues = TONGUES.iter().filter(|tongue| tongue.writing == writing);
    tongues.find(|tongue| match writing {
        Writing::Japanese | Writing::Korean => tongue.ends_in_order(said),
        Writing::Chinese => tongue.opens_order(said),
        Writing::Apart => tongue.orders_apart(said),
    })
}

/// What may stand before the word that opens a clause.
const SMALL: [&str; 24] = [
    "じゃあ",
    "では",
    "また",
    "あと",
    "なお",
    "そして",
    "それと",
    "그리고",
    "그럼",
    "네",
    "아니",
    "ok",
    "那",
    "好的",
    "另外",
    "还有",
    "记住",
    "注意",
    "對了",
    "对了",
    "und",
    "also",
    "e",
    "y",
];
/// What ends a topic or a clause before it.
const TOPICS: [&str; 12] = [
    "は", "も", "、", "은", "는", "도", ",", "，", ":", "：", "-", "。",
];

fn opens_clause(before: &str) -> bool {
    let before = before.trim();
    before.is_empty() || SMALL.contains(&before) || TOPICS.iter().any(|end| before.ends_with(end))
}

impl Tongue {
    /// Whether a text has one of some words, as a whole word where words are written apart.
    fn has(&self, text: &str, words: &[&str]) -> bool {
        words.iter().any(|word| match self.writing {
            Writing::Apart => places_of(text, word).next().is_some(),
            _ => text.contains(word),
        })
    }

    /// A sentence without what has a word of the moment and lasts all the same.
    fn lasting(&self, said: &str) -> String {
        let mut text = said.to_owned();
        for lasts in self.here.iter().chain(self.written) {
            text = text.replace(lasts, "");
        }
        text
    }

    fn names_work(&self, said: &str) -> bool {
        const MORE: [&str; 12] = [
            "push",
            "test",
            "tests",
            "lint",
            "git",
            "merge",
            "rebase",
            "committen",
            "pushen",
            "commite",
            "commiter",
            "commitar",
        ];
        let mut words = said.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-'));
        self.has(said, self.work)
            || words.any(|word| {
                OF_WORK.contains(&word) || TOOLS.contains(&word) || MORE.contains(&word)
            })
    }

    /// What follows the words with which something begins to hold.
    fn begins<'a>(&self, said: &'a str) -> Option<&'a str> {
        let places = self
            .from_now
            .iter()
            .flat_map(|words| said.match_indices(words));
        // "以后端为准" speaks of a backend, "以后的版本" of what is to come.
        let is_other = |after: &str| after.starts_with(['端', '台', '的', '面']);
        let mut opening = places.filter(|(at, words)| {
            opens_clause(&said[..*at]) && !is_other(&said[at + words.len()..])
        });
        opening.next().map(|(at, words)| &said[at + words.len()..])
    }

    /// Whether something is said of what happens again and again: "before" stands within a few letters behind a thing of work.
    fn comes_again(&self, said: &str) -> bool {
        let is_apart = self.writing == Writing::Apart;
        let places = self
            .again
            .iter()
            .flat_map(|words| said.match_indices(words));
        // "Para cada" ends as "a cada" does.
        let mut places =
            places.filter(|(at, _)| !is_apart || !said[..*at].ends_with(char::is_alphanumeric));
        places.any(|(at, words)| {
            let beside = if is_apart {
                let mut after = said[at + words.len()..].split([' ', ',', '.']);
                after.next().unwrap_or_default()
            } else {
                last_letters(&said[..at])
            };
            // What is done before each test belongs to the tests.
            !(is_apart && beside.starts_with("test")) && self.names_work(beside)
        })
    }

    /// Japanese and Korean: the verb comes last and says that it is an order.
    fn ends_in_order(&self, said: &str) -> bool {
        let bare = said.trim_end_matches(['。', '.', '！', '!', '~', '〜', 'ね', 'よ', ' ']);
        let ends = |list: &[&str]| list.iter().any(|end| bare.ends_with(end));
        let refuses = ends(self.refusals);
        if !refuses && !ends(self.orders) {
            return false;
        }
        let governs = |words: &[&str]| {
            let mut places = words.iter().flat_map(|word| bare.match_indices(word));
            places.any(|(at, word)| self.is_of_order(&self.lasting(&bare[at + word.len()..])))
        };
        let comes_again = self.comes_again(bare);
        let is_law = ["こと", "할 것", "말 것"]
            .iter()
            .any(|end| bare.ends_with(end));
        self.begins(bare)
            .is_some_and(|after| !is_to_come(after) && !self.is_once(&self.lasting(after)))
            || governs(self.always)
            || refuses && governs(self.never)
            || (is_law || comes_again) && governs(self.must)
            || comes_again && self.has(bare, self.written)
    }

    /// Whether what follows "always" goes straight on to the order: no other verb stands between, as in "fix the test that always fails",
    /// and the order is not for something that is done once.
    fn is_of_order(&self, rest: &str) -> bool {
        let is_other = match self.writing {
            Writing::Korean => rest.starts_with([' ', '로']) && is_of_noun_in_korean(rest),
            _ => is_of_noun_in_japanese(rest),
        };
        // "절대 경로" is an absolute path.
        let is_name = ["경로", "위치", "좌표", "値", "パス"]
            .iter()
            .any(|name| rest.trim_start().starts_with(name));
        // "So that users need not log in each time, write a test."
        let is_aim = rest.split_once("ように").is_some_and(|(_, after)| {
            !after.is_empty()
                && !["して", "と", "お願"]
                    .iter()
                    .any(|end| after.starts_with(end))
        });
        !self.is_once(rest) && !is_other && !is_name && !is_aim
    }

    fn is_once(&self, rest: &str) -> bool {
        let verb = last_letters(rest);
        self.once.iter().any(|deed| verb.contains(deed))
    }

    /// Chinese: a clause opens with what orders.
    fn opens_order(&self, said: &str) -> bool {
        let is_order = |text: &str| {
            let starts = self.orders.iter().any(|word| text.starts_with(word));
            let other = ["请求", "請求", "用户", "用戶", "用例", "使用者", "别的"];
            // What is ordered may be named first: "以后提交信息都用英文".
            let near: String = text.chars().take(10).collect();
            let named = self.orders.iter().filter(|word| word.chars().count() > 1);
            !other.iter().any(|word| text.starts_with(word))
                && (starts || named.into_iter().any(|word| near.contains(word)))
        };
        let must = |text: &str| {
            let again = self.again.iter().filter_map(|word| text.find(word)).min();
            // A form is submitted with the same word as a commit: what is to be done is of work, too.
            again.is_some_and(|at| self.has(&text[at..], self.must) && self.names_work(&text[at..]))
                && self.comes_again(text)
        };
        let begun = self
            .begins(said)
            .map(|after| after.trim_start_matches(['，', ',', ' ', '就']));
        begun.is_some_and(is_order)
            || self.has(said, self.always)
            || self.has(said, self.never)
            || must(said)
    }

    /// Words written apart: the order stands first and what reaches beside it, or the other way round.
    fn orders_apart(&self, said: &str) -> bool {
        let after = self
            .from_now
            .iter()
            .find_map(|words| said.strip_prefix(words));
        // What comes behind a comma is told of something else: "lance les tests, ils échouent à chaque commit".
        let is_again = self.comes_again(said.split(", ").next().unwrap_or(said));
        let begun = self.again.iter().any(|words| said.starts_with(words));
        let body = match said.split_once(", ") {
            Some((_, body)) if begun => body,
            _ => after.unwrap_or(said),
        };
        let body = [
            "s'il te plaît",
            "s'il vous plaît",
            "s'il te plait",
            "s'il vous plait",
        ]
        .iter()
        .fold(body.to_owned(), |body, please| body.replace(please, " "));
        let words: Vec<&str> = body
            // A word before a comma belongs to another clause than the one behind it.
            .split(|c: char| !c.is_alphanumeric() && c != ',')
            .filter(|word| !FILLING.contains(&word.trim_matches(',')))
            .collect();
        let Some((first, rest)) = words.split_first() else {
            return false;
        };
        let reached = after.is_some() || is_again;
        let is_asked = reached || self.has(said, self.please);
        let reaches = |word: &str| self.always.contains(&word) || self.never.contains(&word);
        let orders =
            |word: &str| self.orders.contains(&word) || is_asked && self.wishes.contains(&word);
        let is_next = |is: &dyn Fn(&str) -> bool| rest.first().is_some_and(|word| is(word));
        // In German a verb behind "from now on" has its subject behind it; elsewhere much that follows makes an infinitive the subject:
        // "siempre correr los tests tarda 20 minutos".
        let is_short = !self.please.contains(&"bitte") && words.len() <= 7;
        let is_infinitive = |word: &str| is_short && self.infinitives.contains(&word);
        orders(first) && (reached || is_next(&reaches))
            || reaches(first) && (is_next(&orders) || is_next(&is_infinitive))
            || reached && is_infinitive(first)
            || self.ends_apart(&words, reached)
    }

    /// German: "Commits immer auf Englisch schreiben", "ab jetzt pnpm verwenden".
    fn ends_apart(&self, words: &[&str], reached: bool) -> bool {
        let Some(end) = words.iter().position(|word| word.ends_with(',')) else {
            return self.closes(words, reached);
        };
        self.closes(&words[..=end], reached)
    }

    fn closes(&self, clause: &[&str], reached: bool) -> bool {
        let last = clause.last().map(|word| word.trim_end_matches(','));
        let mut near = clause.iter().take(3);
        let reaches = near.any(|word| self.always.contains(word) || self.never.contains(word));
        let is_infinitive = last.is_some_and(|word| self.infinitives.contains(&word));
        self.please.contains(&"bitte") && is_infinitive && (reached || reaches)
    }
}

/// Whether "from now on" is said of a thing to come: 「今後の計画」, "앞으로 나올 버전".
fn is_to_come(after: &str) -> bool {
    ["の", " 나올", " 있을", " 올 ", " 할 ", " 될 "]
        .iter()
        .any(|joint| after.starts_with(joint))
}

/// The last few letters of a text, in which a verb has room.
fn last_letters(text: &str) -> &str {
    let start = text.char_indices().rev().nth(9).map_or(0, |(at, _)| at);
    &text[start..]
}

/// Words that stand around an order and change nothing of it: requests, and the half of a denial.
const FILLING: [&str; 12] = [
    "", "bitte", "por", "favor", "ne", "n", "no", "não", "ok", "und", "e", "y",
];

/// Whether a verb stands before a noun: 「常に再起動する問題を…」, 「毎回出るのを…」.
fn is_of_noun_in_japanese(rest: &str) -> bool {
    const OCCASIONS: [&str; 10] = [
        "前", "後", "際", "時", "度", "形", "方", "必要", "場合", "毎",
    ];
    let letters: Vec<(usize, char)> = rest.char_indices().collect();
    letters.windows(2).any(|pair| {
        let ((_, verb), (at, next)) = (pair[0], pair[1]);
        let is_noun = is_ideograph(next)
            || matches!(next, '\u{30a1}'..='\u{30fa}' | '`')
            || next.is_ascii_alphanumeric();
        let after = &rest[at..];
        let is_occasion = OCCASIONS.iter().any(|word| after.starts_with(word));
        let is_named = ["のを", "のは", "のが", "のも"]
            .iter()
            .any(|word| after.starts_with(word));
        matches!(verb, 'る' | 'す' | 'む' | 'ぶ' | 'う' | 'た')
            && (is_noun && !is_occasion || is_named)
    })
}

/// Whether a verb stands before a noun: "항상 실패하는 테스트를 …".
fn is_of_noun_in_korean(rest: &str) -> bool {
    const ENDS: [&str; 14] = [
        "하는", "되는", "있는", "없는", "나는", "뜨는", "지는", "오는", "가는", "죽는", "쓰는",
        "던", "한", "된",
    ];
    let mut words = rest.split_whitespace();
    words.any(|word| ENDS.iter().any(|end| word.ends_with(end)))
}
