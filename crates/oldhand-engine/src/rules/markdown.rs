//! The little of Markdown that rules files use: headings, bullets, paragraphs, code, comments, HTML.

mod answer;
mod block;
mod code;
mod fragment;
mod lead;
mod line;
mod terms;

use answer::join_answers;
pub(super) use block::{Block, Kind};
use code::{Code, INDENTED_CODE};
use fragment::join_fragments;
use lead::{Lead, announces, introduces, is_example, opens, plain_lead, speaks_of_the_file};
use line::is_drawing;
pub(super) use line::{as_bullet, as_heading};
use terms::join_terms;

use super::stance::{Stance, is_bare_ban, stance_of};

pub(super) fn blocks(text: &str, first_line: usize) -> Vec<Block> {
    let mut reader = Reader::default();
    for (offset, line) in text.lines().enumerate() {
        reader.read(line.trim_end(), first_line + offset);
    }
    reader.end_code();
    reader.end_section();
    join_fragments(join_terms(join_answers(reader.blocks)))
}

/// A line over a line of `---` and no more words than these is a heading.
const HEADING: usize = 8;
/// A line with a colon and no more words than this is a label.
const LABEL: usize = 6;
/// Over an example that is left out it may have fewer, and is then the name of it.
const CAPTION: usize = 3;
/// Code of more lines than these is an example to read where it stands; the sentence above it says what it shows.
const LONGEST_CODE: usize = 12;

#[derive(Default)]
struct Reader {
    blocks: Vec<Block>,
    /// Level and words; the title of the file says nothing about its parts and is left out, unless it forbids them.
    headings: Vec<(usize, String)>,
    item: Option<Item>,
    /// A line that announces what follows: `When it fails:`.
    lead: Option<Lead>,
    code: Option<Code>,
    inside: Inside,
}

/// What the line before left open.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Inside {
    #[default]
    Nothing,
    Comment,
    Table,
    /// A tag whose attributes go on.
    Tag,
    /// A tag whose inside is no text.
    Raw(&'static str),
}

struct Item {
    text: String,
    children: Vec<String>,
    line: usize,
    indent: usize,
    bullet: bool,
    ended: bool,
}

impl Reader {
    fn read(&mut self, line: &str, number: usize) {
        if let Some(code) = &mut self.code {
            let own = line.len() - line.trim_start().len();
            if !code.ends_at(line, own) {
                let from = own.min(code.indent);
                code.lines.push(line.get(from..).unwrap_or(line).to_owned());
                return;
            }
            let fenced = !code.fence.is_empty();
            self.end_code();
            if fenced {
                return;
            }
        }
        let line = line::without_comments(line);
        let line = line.trim_end();
        let quoted = line.trim_start();
        let indent = line.len() - quoted.len();
        let body = quoted.trim_start_matches("> ").trim_start_matches('>');
        if self.is_inside(body, number) {
            return;
        }
        if let Some(mark) = body.find("<!--") {
            self.inside = Inside::Comment;
            if mark > 0 {
                self.read_plain(body[..mark].trim_end(), indent, number);
            }
        } else if let Some(raw) = line::opens_raw(body) {
            self.inside = Inside::Raw(raw);
            self.skip(number, "HTML");
        } else if line::is_html(body) {
            if line::leaves_tag_open(body) {
                self.inside = Inside::Tag;
            }
            match line::words_of_html(body) {
                Some(words) if self.inside == Inside::Nothing => {
                    self.prose(&words, indent, number);
                }
                _ => self.skip(number, "HTML"),
            }
        } else {
            self.read_plain(body, indent, number);
        }
    }

    /// Whether the line belongs to what an earlier one opened.
    fn is_inside(&mut self, body: &str, number: usize) -> bool {
        let goes_on = match self.inside {
            Inside::Nothing => return false,
            Inside::Comment => !body.contains("-->"),
            Inside::Tag => !body.contains('>'),
            Inside::Raw(tag) => !line::closes_raw(body, tag),
            Inside::Table if body.contains('|') => {
                self.skip(number, "a table");
                return true;
            }
            Inside::Table => {
                self.inside = Inside::Nothing;
                return false;
            }
        };
        if !goes_on {
            self.inside = Inside::Nothing;
        }
        true
    }

    fn read_plain(&mut self, body: &str, indent: usize, number: usize) {
        if let Some(code) = Code::opened_by(body, indent, number) {
            self.code = Some(code);
        } else if self.underlines(body) {
            let item = self.item.take().expect("it was just looked at");
            self.end_lead();
            self.head(if body.starts_with('=') { 1 } else { 2 }, &item.text);
        } else if body.is_empty() || body.chars().all(|c| matches!(c, '-' | '*' | '_' | '=')) {
            if let Some(item) = &mut self.item {
                item.ended = true;
            }
        } else if let Some((level, words)) = as_heading(body) {
            self.end_section();
            self.head(level, words);
        } else if body.starts_with('|') {
            self.skip(number, "a table");
        } else if line::is_table_rule(body) {
            // The line above names its columns.
            self.item = None;
            self.inside = Inside::Table;
            self.skip(number, "a table");
        } else if let Some(words) = as_bullet(body) {
            match line::says_nothing(words) {
                Some(why) => self.skip(number, why),
                None => self.bullet(words, indent, number),
            }
        } else if let Some(why) = self.why_nothing(body) {
            self.skip(number, why);
        } else if self.begins_indented_code(body, indent) {
            self.code = Some(Code {
                indent,
                lines: vec![body.to_owned()],
                fence: String::new(),
                language: "indented".to_owned(),
                line: number,
            });
        } else if !(body.starts_with("[!") && body.ends_with(']')) {
            self.prose(body, indent, number);
        }
    }

    /// A link alone on its line may still be a word of the sentence above it.
    fn why_nothing(&self, body: &str) -> Option<&'static str> {
        match &self.item {
            Some(item) if !item.ended => line::is_no_text(body),
            _ => line::says_nothing(body),
        }
    }

    fn head(&mut self, level: usize, words: &str) {
        self.headings.retain(|(above, _)| *above < level);
        if level > 1 || stance_of(words) == Stance::Forbids {
            self.headings.push((level, words.to_owned()));
        }
    }

    /// Whether this line makes the one above it a heading.
    fn underlines(&self, body: &str) -> bool {
        let line = body.len() >= 3
            && ["=", "-"]
                .iter()
                .any(|mark| body.replace(mark, "").is_empty());
        let heads = |item: &Item| {
            let words = item.text.split_whitespace().count();
            let is_sentence = item.text.ends_with(['.', '!', ';', ':', '?']);
            !item.bullet && !item.ended && words <= HEADING && !is_sentence
        };
        line && self.item.as_ref().is_some_and(heads)
    }

    /// Four spaces below a blank line, unless it is a sentence that somebody indented.
    fn begins_indented_code(&self, body: &str, indent: usize) -> bool {
        let is_below = |item: &Item| item.ended && !item.bullet;
        let is_sentence =
            body.starts_with(char::is_uppercase) && body.ends_with(['.', '!', '?', ':']);
        indent >= INDENTED_CODE && !is_sentence && self.item.as_ref().is_none_or(is_below)
    }

    fn bullet(&mut self, words: &str, indent: usize, line: usize) {
        if let Some(item) = &mut self.item
            && item.bullet
            && indent > item.indent
        {
            if announces(&item.text) && item.children.is_empty() {
                let item = self.item.take().expect("it was just looked at");
                self.lead = Some(Lead {
                    text: plain_lead(&item.text),
                    indent: item.indent,
                    bullet: true,
                    line: item.line,
                    used: false,
                });
            } else {
                item.children.push(words.to_owned());
                return;
            }
        }
        self.entitle();
        self.end_item();
        if self
            .lead
            .as_ref()
            .is_some_and(|lead| lead.bullet && indent <= lead.indent)
        {
            self.end_lead();
        }
        self.start(words, indent, true, line);
    }

    /// A few words in bold right over a list are the name of what it is about, and "Never do the following." belongs to all of it.
    fn entitle(&mut self) {
        let is_title = |item: &&mut Item| {
            let words = item.text.split_whitespace().count();
            let is_sentence = item.text.ends_with(['.', '!', '?']) || announces(&item.text);
            let is_name = item.text.starts_with("**") && words <= HEADING && !is_sentence;
            !item.bullet && (is_name || is_bare_ban(&item.text) && !announces(&item.text))
        };
        if let Some(item) = self.item.as_mut().filter(is_title) {
            let name = item.text.replace("**", "");
            item.text = format!("{}:", name.trim_end_matches(['.', '!']));
        }
    }

    fn prose(&mut self, words: &str, indent: usize, line: usize) {
        if let Some(item) = &mut self.item
            && !item.ended
        {
            // A line that is a whole sentence stands alone, as in files without bullets.
            let sentence = !item.bullet && item.text.ends_with(['.', '!', ';']);
            if !sentence {
                let last = item.children.last_mut().unwrap_or(&mut item.text);
                last.push(' ');
                last.push_str(words);
                return;
            }
        }
        let continues = self
            .item
            .as_ref()
            .is_some_and(|item| item.bullet && indent > item.indent);
        if continues {
            let item = self.item.as_mut().expect("it was just looked at");
            item.text.push('\n');
            item.text.push_str(words);
            item.ended = false;
            return;
        }
        self.end_item();
        let opening = self.take_opening();
        self.end_lead();
        let words =
            opening.map_or_else(|| words.to_owned(), |opening| format!("{opening} {words}"));
        self.start(&words, indent, false, line);
    }

    /// The lead, where what it announces stands here: `When a form is added:`, `Append this line:`.
    fn take_opening(&mut self) -> Option<String> {
        let lead = self.lead.take_if(|lead| {
            let is_label = lead.text.split_whitespace().count() <= LABEL;
            !lead.used && (opens(&lead.text) || !is_label)
        });
        lead.map(|lead| lead.text)
    }

    fn start(&mut self, words: &str, indent: usize, bullet: bool, line: usize) {
        let words = words
            .strip_prefix("[ ] ")
            .or_else(|| words.strip_prefix("[x] "))
            .unwrap_or(words);
        self.item = Some(Item {
            text: words.to_owned(),
            children: Vec::new(),
            line,
            indent,
            bullet,
            ended: false,
        });
    }

    fn end_item(&mut self) {
        let Some(item) = self.item.take() else {
            return;
        };
        if !item.bullet && announces(&item.text) && !item.text.contains('\n') {
            self.end_lead();
            self.lead = Some(Lead {
                text: plain_lead(&item.text),
                indent: item.indent,
                bullet: false,
                line: item.line,
                used: false,
            });
            return;
        }
        let is_of_file = speaks_of_the_file(&item.text);
        let of_file = is_of_file.then_some("speaks about the file itself");
        let introduces = item.children.is_empty() && introduces(&item.text);
        let of_file = of_file.or(introduces.then_some("introduces what follows"));
        if let Some(why) = of_file.or_else(|| line::stands_in(&item.text)) {
            self.skip(item.line, why);
            return;
        }
        match &mut self.lead {
            Some(lead) if item.bullet && is_example(&lead.text) => {
                lead.used = true;
                self.skip(item.line, "an example");
            }
            Some(lead) if item.bullet => {
                lead.used = true;
                let announced = lead.text.clone();
                let text = format!("{announced} {}", item.text);
                self.push(Kind::Statement, text, item.children, item.line);
                if let Some(block) = self.blocks.last_mut() {
                    block.lead = Some(announced);
                }
            }
            _ => self.push(Kind::Statement, item.text, item.children, item.line),
        }
        if let Some(block) = self.blocks.last_mut() {
            block.is_point = item.bullet;
        }
    }

    fn end_lead(&mut self) {
        self.end_lead_over(LABEL);
    }

    /// A lead that nothing followed is a statement of its own, unless it is a few words over something else.
    fn end_lead_over(&mut self, most_words: usize) {
        if let Some(lead) = self.lead.take()
            && !lead.used
        {
            if lead.text.split_whitespace().count() <= most_words || opens(&lead.text) {
                self.skip(lead.line, "a label without a statement");
                return;
            }
            let text = lead.text.trim_end_matches(':').to_owned();
            self.push(Kind::Statement, text, Vec::new(), lead.line);
        }
    }

    fn end_section(&mut self) {
        self.end_item();
        self.end_lead();
    }

    /// Whether something was announced that has not come yet.
    fn awaits(&self) -> bool {
        match &self.item {
            Some(item) => !item.bullet && announces(&item.text),
            None => self.lead.as_ref().is_some_and(|lead| !lead.used),
        }
    }

    fn end_code(&mut self) {
        let Some(code) = self.code.take() else {
            return;
        };
        let text = code.text();
        if let Some(words) = code.words().filter(|_| self.awaits()) {
            self.end_item();
            let lead = self.lead.take().map(|lead| lead.text).unwrap_or_default();
            self.push(
                Kind::Statement,
                format!("{lead} {words}"),
                Vec::new(),
                code.line,
            );
            return;
        }
        if text.is_empty() {
            return;
        }
        if is_drawing(&text) {
            self.skip(code.line, "a drawing");
            return;
        }
        // Code belongs to the sentence right above it, or to the bullet it is indented under.
        let belongs = |item: &Item| {
            let announces = !item.bullet && announces(&item.text);
            !item.ended || announces || (item.bullet && code.indent > item.indent)
        };
        if code.lines.len() > LONGEST_CODE && !code.is_shell() {
            self.skip(code.line, "a long piece of code");
            self.end_lead_over(CAPTION);
            return;
        }
        let below = |sentence: &str| format!("{sentence}\n```\n{text}\n```");
        if let Some(item) = self.item.as_mut().filter(|item| belongs(item)) {
            item.text = below(&item.text);
            item.ended = true;
            return;
        }
        self.end_item();
        if let Some(lead) = self.lead.take() {
            self.push(Kind::Statement, below(&lead.text), Vec::new(), lead.line);
            return;
        }
        if !code.is_shell() {
            self.skip(code.line, "code without a sentence");
            return;
        }
        if code.language.is_empty() && line::has_arrows(&text) {
            self.skip(code.line, "a drawing");
            return;
        }
        for (command, line) in code.commands() {
            self.push(Kind::Statement, command, Vec::new(), line);
        }
    }

    fn skip(&mut self, line: usize, why: &'static str) {
        self.end_item();
        // A table has many lines and is one thing.
        let again = self.blocks.last().is_some_and(|last| {
            let until = last.line + last.children.len();
            last.kind == Kind::Skipped(why) && until + 1 == line
        });
        if again {
            if let Some(last) = self.blocks.last_mut() {
                last.children.push(String::new());
            }
            return;
        }
        self.push(Kind::Skipped(why), String::new(), Vec::new(), line);
    }

    fn push(&mut self, kind: Kind, text: String, children: Vec<String>, line: usize) {
        let headings = self.headings.iter();
        let headings = headings.map(|(_, words)| words.clone()).collect();
        self.blocks.push(Block {
            kind,
            headings,
            text,
            children,
            line,
            lead: None,
            is_point: false,
        });
    }
}
