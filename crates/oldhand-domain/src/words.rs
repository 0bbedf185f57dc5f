//! Text cut into searchable words. One function, used when writing the index and when asking it.

mod contracted;
mod sift;

pub use contracted::without_contractions;
pub use sift::sift;

/// Goes up whenever [`split`] would cut any text differently; an index built by another version is
/// rebuilt.
pub const VERSION: u32 = 4;

/// The words of `text`, lower case, in order. Identifiers give their parts and, when they have more
/// than one, the whole: `getUserById` is `get user by id getuserbyid`. Several of what capitals stand for are one of it: `PRs` is `pr`.
///
/// Scripts written without spaces give their neighbouring characters in pairs, as whole words are mostly two long and nothing says where they
/// end; what Japanese writes as it sounds, loan words and endings, stays whole.
pub fn split(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    each(text, &mut |word| words.push(word.to_owned()));
    words
}

/// As [`split`], one word after the other: who only counts or compares them needs none of its own.
pub fn each(text: &str, take: &mut dyn FnMut(&str)) {
    let mut identifier = Identifier::default();
    let mut rest = text;
    loop {
        let run = rest.bytes().take_while(u8::is_ascii_lowercase).count();
        if run > 0 {
            let (word, after) = rest.split_at(run);
            if identifier.last.is_some() || !ends_word(after) {
                identifier.push_run(word);
            } else if run <= LONGEST_WORD {
                take(word);
            }
            rest = after;
        }
        let from = rest;
        let mut chars = from.chars();
        let Some(c) = chars.next() else {
            break;
        };
        rest = chars.as_str();
        if c.is_ascii() {
            if c.is_ascii_alphanumeric() || (c == '_' && !identifier.starts.is_empty()) {
                identifier.push(c);
            } else if !identifier.starts.is_empty() {
                identifier.finish(take);
            }
        } else if let Some(script) = Script::of(c) {
            identifier.finish(take);
            let end = from.find(|next| Script::of(next) != Some(script));
            let (run, after) = from.split_at(end.unwrap_or(from.len()));
            script.cut(run, take);
            rest = after;
        } else if c.is_alphanumeric() {
            identifier.push(c);
        } else {
            identifier.finish(take);
        }
    }
    identifier.finish(take);
}

/// Whether nothing that `text` begins with belongs to small plain letters before it: most words of prose are such, and need no closer look.
fn ends_word(text: &str) -> bool {
    let after = text.as_bytes().first();
    after.is_none_or(|&after| after.is_ascii() && !after.is_ascii_alphanumeric() && after != b'_')
}

/// Cuts the commonest English endings, so that "parsing", "parses" and "parsed" find "parse", and "queries" finds "query". Rough on
/// purpose: it only has to cut both sides of a comparison alike. What is stored by it has a version that goes up with any change here.
pub fn stem(word: &str) -> &str {
    /// Each with how much of a word must be left.
    const ENDINGS: [(&str, usize); 11] = [
        ("ations", 4),
        ("ation", 4),
        ("ions", 4),
        ("ion", 4),
        ("ings", 3),
        ("ing", 3),
        ("ies", 3),
        ("ied", 3),
        ("ed", 3),
        ("es", 3),
        ("s", 3),
    ];
    let last = word.as_bytes().last();
    let may_be_cut = matches!(last, Some(b'd' | b'g' | b'n' | b's'));
    // Many words end in none of these letters.
    let is_whole = !may_be_cut && !matches!(last, Some(b'e' | b'y' | b'i'));
    if is_whole || word.len() <= 3 || ["ss", "us"].iter().any(|end| word.ends_with(end)) {
        return word;
    }
    let endings = ENDINGS.iter().filter(|_| may_be_cut);
    let cut = endings.into_iter().find_map(|(ending, left)| {
        let rest = word.strip_suffix(ending)?;
        (rest.len() >= *left).then_some((rest, *ending))
    });
    let (rest, ending) = cut.unwrap_or((word, ""));
    let is_verbal = ["ing", "ings", "ed"].contains(&ending);
    if let Some(single) = rest.get(..rest.len() - 1)
        && is_verbal
        && rest.len() > 3
        && rest.as_bytes()[rest.len() - 1] == rest.as_bytes()[rest.len() - 2]
        && !rest.ends_with(['l', 's', 'z'])
    {
        // "stopped" is of "stop", and "called" of "call".
        return single;
    }
    let bare = rest.strip_suffix(['e', 'y', 'i']);
    let bare = bare.filter(|bare| bare.len() >= 3).unwrap_or(rest);
    // "validate" is of "validation", and "update" is not of "up".
    let is_cut = is_verbal || ending == "es" || bare.len() < rest.len();
    match bare.strip_suffix("at") {
        Some(root) if is_cut && root.len() >= 4 => root,
        _ => bare,
    }
}

/// Whether two words are of one stem. Endings may go, the first letter never does.
pub fn is_same(one: &str, other: &str) -> bool {
    one.as_bytes().first() == other.as_bytes().first() && stem(one) == stem(other)
}

/// Whether a word is a single character of a script without spaces. Longer words that hold it are cut into pairs: who asks for it means those.
pub fn is_lone(word: &str) -> bool {
    let mut characters = word.chars();
    let first = characters.next().and_then(Script::of);
    first == Some(Script::Unspaced) && characters.next().is_none()
}

/// Whether a word says something about what is asked. What Japanese writes in hiragana alone joins and bends other words.
pub fn is_telling(word: &str) -> bool {
    let is_hiragana = |c| Script::of(c) == Some(Script::Hiragana);
    let is_common = word.len() <= LONGEST_COMMON && COMMON.binary_search(&word).is_ok();
    !is_common && !word.chars().all(is_hiragana)
}

/// Words that say nothing about what is asked. Sorted.
const COMMON: &[&str] = &[
    "a", "about", "am", "an", "and", "any", "are", "as", "at", "be", "been", "but", "by", "can",
    "could", "d", "did", "do", "does", "for", "from", "had", "has", "have", "he", "her", "him",
    "his", "how", "i", "if", "in", "is", "it", "its", "ll", "m", "may", "me", "might", "my", "not",
    "of", "on", "or", "our", "re", "s", "she", "should", "so", "t", "that", "the", "their", "them",
    "then", "there", "these", "they", "this", "those", "to", "us", "ve", "was", "we", "were",
    "what", "when", "where", "which", "who", "why", "will", "with", "would", "you", "your",
];

/// Longer words need not be looked for among them.
const LONGEST_COMMON: usize = 6;

/// Longer runs are data, not words: a base64 blob must not fill the index.
const LONGEST_WORD: usize = 64;

#[derive(Default)]
struct Identifier {
    /// All parts, one behind the other.
    letters: String,
    /// Where each part begins.
    starts: Vec<usize>,
    /// Which of the letters make several of a part, and are in none.
    plurals: Vec<usize>,
    last: Option<char>,
    /// The part being read is a run of capitals, as in `HTTPServer`.
    capitals: bool,
    /// The last letter is an `s` behind a run of capitals: whether it makes several of them, as in `PRs`, shows in what follows.
    plural: bool,
}

impl Identifier {
    fn push(&mut self, c: char) {
        if c == '_' {
            self.last = Some('_');
            return;
        }
        let turn = match self.last {
            None | Some('_') => true,
            Some(last) if last.is_numeric() != c.is_numeric() => true,
            Some(last) => last.is_lowercase() && c.is_uppercase(),
        };
        if turn {
            self.end_plural();
            self.starts.push(self.letters.len());
            self.capitals = false;
        } else if self.plural {
            self.split_before_plural();
        } else if self.capitals && c.is_lowercase() && self.last.is_some_and(char::is_uppercase) {
            self.plural = c == 's' && self.has_several_letters();
            if !self.plural {
                self.split_last_capital(self.letters.len());
            }
        }
        self.capitals = if turn {
            c.is_uppercase()
        } else {
            self.capitals && c.is_uppercase()
        };
        if c.is_ascii() {
            self.letters.push(c.to_ascii_lowercase());
        } else {
            self.letters.extend(c.to_lowercase());
        }
        self.last = Some(c);
    }

    /// Small plain letters: behind the first of them none begins a part.
    fn push_run(&mut self, run: &str) {
        let mut letters = run.chars();
        if let Some(first) = letters.next() {
            self.push(first);
            if self.plural && !letters.as_str().is_empty() {
                self.split_before_plural();
            }
            self.letters.push_str(letters.as_str());
            self.last = run.chars().next_back();
        }
    }

    fn has_several_letters(&self) -> bool {
        let part = self.starts.last().map(|&start| &self.letters[start..]);
        part.is_some_and(|part| part.chars().nth(1).is_some())
    }

    /// In `HTTPServer`, the `S` turns out to begin `Server` only when the `e` comes. `end` is where the capitals end.
    fn split_last_capital(&mut self, end: usize) {
        let part = self.starts.last().map(|&start| &self.letters[start..end]);
        let mut letters = part.unwrap_or_default().chars();
        if let Some(last) = letters.next_back()
            && letters.next().is_some()
        {
            self.starts.push(end - last.len_utf8());
        }
    }

    /// In `URLsafe`, the `s` turns out to be of a word only when the `a` comes.
    fn split_before_plural(&mut self) {
        self.plural = false;
        self.split_last_capital(self.letters.len() - 1);
    }

    fn end_plural(&mut self) {
        if std::mem::take(&mut self.plural) {
            self.plurals.push(self.letters.len() - 1);
        }
    }

    fn finish(&mut self, take: &mut dyn FnMut(&str)) {
        self.end_plural();
        let ends = self.starts.iter().skip(1).copied();
        let ends = ends.chain([self.letters.len()]);
        let parts = self.starts.iter().zip(ends);
        let parts = parts.map(|(&from, to)| {
            let is_several = self.plurals.contains(&(to - 1));
            &self.letters[from..to - usize::from(is_several)]
        });
        let whole = (self.starts.len() > 1).then_some(self.letters.as_str());
        for word in parts.chain(whole) {
            if word.len() <= LONGEST_WORD {
                take(word);
            }
        }
        self.letters.clear();
        self.starts.clear();
        self.plurals.clear();
        self.last = None;
        self.capitals = false;
    }
}

/// Whether a letter is of a script that sets no blanks between words.
pub fn is_unspaced(c: char) -> bool {
    Script::of(c).is_some()
}

/// How characters are written without spaces between words.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Script {
    /// Japanese as it sounds, in letters for words from elsewhere.
    Katakana,
    /// Japanese as it sounds: endings and what joins words.
    Hiragana,
    /// Chinese characters, Thai, Lao, Burmese, Khmer.
    Unspaced,
}

impl Script {
    fn of(c: char) -> Option<Self> {
        match c {
            '\u{3040}'..='\u{309f}' => Some(Self::Hiragana),
            // The dot between two words and the double hyphen are of neither.
            '\u{30a1}'..='\u{30fa}' | '\u{30fc}'..='\u{30ff}' => Some(Self::Katakana),
            '\u{0e00}'..='\u{0eff}'
            | '\u{1000}'..='\u{109f}'
            | '\u{1780}'..='\u{17ff}'
            | '\u{3400}'..='\u{4dbf}'
            | '\u{4e00}'..='\u{9fff}'
            | '\u{f900}'..='\u{faff}'
            | '\u{20000}'..='\u{3ffff}' => Some(Self::Unspaced),
            _ => None,
        }
    }

    fn cut(self, run: &str, take: &mut dyn FnMut(&str)) {
        if self != Self::Unspaced && run.len() <= LONGEST_WORD {
            take(run);
            return;
        }
        let starts = run.char_indices().map(|(at, _)| at);
        let ends = starts.clone().skip(2).chain([run.len()]);
        for (from, to) in starts.zip(ends) {
            take(&run[from..to]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        assert_eq!(split(text).join(" "), expected, "{text:?}");
    }

    #[test]
    fn identifiers_are_found_by_part_and_as_a_whole() {
        check("getUserById", "get user by id getuserbyid");
        check("snake_case_name", "snake case name snakecasename");
        check("HTTPServer", "http server httpserver");
        check("parseJSON2Text", "parse json 2 text parsejson2text");
        check("SCREAMING_SNAKE", "screaming snake screamingsnake");
        check(
            "src/auth/loginForm.tsx",
            "src auth login form loginform tsx",
        );
        check("kebab-case", "kebab case");
        check("utf8", "utf 8 utf8");
    }

    #[test]
    fn several_of_what_capitals_stand_for_are_one_of_it() {
        check("PRs, APIs and URLs", "pr api and url");
        check("TODOs of the IDs", "todo of the id");
        check("parseURLs getIDs()", "parse url parseurls get id getids");
        check(
            "URLsFor URLs2 URLs_of",
            "url for urlsfor url 2 urls2 url of urlsof",
        );
        check("ÄÖs ÉTÉs", "äö été");
        // What goes on in small letters is a word of its own.
        check("URLsafe DNSsec", "ur lsafe urlsafe dn ssec dnssec");
        check("ABsé", "a bsé absé");
        check("As Bs aXs", "as bs a xs axs");
        check("PRS ASs", "prs as");
    }

    #[test]
    fn prose_is_just_words() {
        check(
            "The cache, when cold, isn't used.",
            "the cache when cold isn t used",
        );
        check("Éclair à l'ÉTÉ", "éclair à l été");
        check("配置文件 config", "配置 置文 文件 config");
        check("字", "字");
        check("ブログ記事を追加する", "ブログ 記事 を 追加 する");
        check("タブでインデント", "タブ で インデント");
        check("タブ・スペース゠キー", "タブ スペース キー");
        check("ภาษา", "ภา าษ ษา");
        check("", "");
        check("__init__", "init");
        check("snake_ case_", "snake case");
        check("naïve éa aé a配", "naïve éa aé a 配");
        check("配a置", "配 a 置");
    }

    #[test]
    fn a_character_stands_alone_where_a_word_of_it_does_not() {
        assert!(is_lone("鍵"));
        for word in ["公開", "を", "k", ""] {
            assert!(!is_lone(word), "{word}");
        }
    }

    #[test]
    fn words_that_join_others_say_nothing() {
        for word in ["the", "with", "は", "してください"] {
            assert!(!is_telling(word), "{word}");
        }
        for word in COMMON {
            assert!(!is_telling(word), "{word}");
        }
        for word in ["cache", "タブ", "記事", "x1", "は配"] {
            assert!(is_telling(word), "{word}");
        }
    }

    #[test]
    fn endings_are_cut_alike_and_short_words_are_left() {
        for family in [
            "parse parses parsed parsing",
            "route routes routed routing",
            "query queries queried",
            "copy copies copied",
            "entry entries",
            "cache caches cached caching",
            "class classes",
            "match matches matched",
            "address addresses",
            "stop stops stopped stopping",
            "call calls called calling",
            "add adds added adding",
            "validate validates validated validation",
            "migrate migration migrations",
            "create creates creation",
            "update updates updated",
            "connect connection connections",
            "format formats formatted formatting",
            "file files",
            "use uses",
        ] {
            let stems: Vec<&str> = family.split(' ').map(stem).collect();
            assert!(stems.iter().all(|one| *one == stems[0]), "{stems:?}");
        }
        for (one, other) in [
            ("file", "fill"),
            ("date", "data"),
            ("format", "form"),
            ("status", "state"),
            ("caller", "call"),
        ] {
            assert_ne!(stem(one), stem(other));
        }
        for short in ["bus", "ing", "s", "", "été"] {
            assert_eq!(stem(short), short);
        }
    }

    #[test]
    fn words_that_every_sentence_has_are_known() {
        assert!(COMMON.is_sorted());
        assert!(is_telling("cache") && !is_telling("the"));
    }

    #[test]
    fn blobs_do_not_become_words() {
        assert!(split(&"a".repeat(65)).is_empty());
    }

    /// As [`split`], letter by letter.
    fn slowly(text: &str) -> Vec<String> {
        let (mut words, mut identifier) = (Vec::new(), Identifier::default());
        for c in text.chars() {
            if c.is_alphanumeric() || (c == '_' && !identifier.starts.is_empty()) {
                identifier.push(c);
            } else {
                identifier.finish(&mut |word| words.push(word.to_owned()));
            }
        }
        identifier.finish(&mut |word| words.push(word.to_owned()));
        words
    }

    proptest::proptest! {
        #[test]
        fn runs_of_letters_are_cut_as_letter_by_letter(text in "[a-csA-C0-1_éÉ .]{0,24}") {
            proptest::prop_assert_eq!(split(&text), slowly(&text));
        }

        #[test]
        fn words_are_never_empty_and_survive_a_second_split(text in "\\PC{0,60}") {
            for word in split(&text) {
                proptest::prop_assert!(!word.is_empty());
                proptest::prop_assert!(!word.contains(char::is_whitespace));
            }
        }
    }
}
