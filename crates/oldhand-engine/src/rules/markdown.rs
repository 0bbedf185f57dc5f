//! The little of Markdown that rules files use: headings, bullets, paragraphs, code, comments.

/// A piece of a file, with the headings it stands under, outermost first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Block {
    pub(super) kind: Kind,
    pub(super) headings: Vec<String>,
    pub(super) text: String,
    /// Points below a bullet that is complete without them.
    pub(super) children: Vec<String>,
    pub(super) line: usize,
    /// The line that announced it, which is part of its text.
    lead: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Statement,
    Skipped(&'static str),
}

impl Block {
    /// The statement with its points below it.
    pub(super) fn whole(&self) -> String {
        let points = self.children.iter().map(|child| format!("\n- {child}"));
        std::iter::once(self.text.clone()).chain(points).collect()
    }

    /// `name` and what it is: `- `errors.go` - defines the errors`.
    fn is_term(&self) -> bool {
        let point = match &self.lead {
            Some(lead) => self.text[lead.len()..].trim_start(),
            None => self.text.as_str(),
        };
        let point = point.trim_start_matches("**");
        let Some((name, rest)) = point
            .strip_prefix('`')
            .and_then(|rest| rest.split_once('`'))
        else {
            return false;
        };
        let rest = rest.trim_start_matches("**").trim_start();
        let explains = [":", "-", "–", "—", "→", "(", "/", ","]
            .iter()
            .any(|mark| rest.starts_with(mark));
        self.kind == Kind::Statement
            && self.children.is_empty()
            && explains
            && !name.contains(' ')
            && !super::guess::demands(rest)
    }
}

pub(super) fn blocks(text: &str, first_line: usize) -> Vec<Block> {
    let mut reader = Reader::default();
    for (offset, line) in text.lines().enumerate() {
        reader.read(line.trim_end(), first_line + offset);
    }
    reader.end_code();
    reader.end_section();
    join_terms(reader.blocks)
}

/// A line with a colon and no more words than this is a label.
const LABEL: usize = 6;
/// Fewer explained names than these stand on their own.
const FEWEST_TERMS: usize = 2;
/// A list of names is cut into statements of about this many bytes.
const LIST: usize = 1200;

/// A list that explains names, such as which file holds what, is one statement and not one for each name.
fn join_terms(blocks: Vec<Block>) -> Vec<Block> {
    let mut joined: Vec<Block> = Vec::with_capacity(blocks.len());
    let mut rest = blocks.into_iter().peekable();
    while let Some(first) = rest.next() {
        let mut run = vec![first];
        while let Some(next) = rest.peek()
            && run[0].is_term()
            && next.is_term()
            && next.lead == run[0].lead
            && next.headings == run[0].headings
        {
            run.extend(rest.next());
        }
        if run.len() < FEWEST_TERMS {
            joined.extend(run);
            continue;
        }
        let mut list: Option<Block> = None;
        for mut block in run {
            let lead = block.lead.take();
            let point = match &lead {
                Some(lead) => block.text[lead.len()..].trim_start().to_owned(),
                None => block.text.clone(),
            };
            let full = list
                .as_ref()
                .is_some_and(|list| list.whole().len() + point.len() > LIST);
            if full {
                joined.extend(list.take());
            }
            let title = lead.or_else(|| block.headings.last().map(|words| format!("{words}:")));
            list.get_or_insert_with(|| Block {
                text: title.unwrap_or_else(|| "Names:".to_owned()),
                children: Vec::new(),
                ..block.clone()
            })
            .children
            .push(point);
        }
        joined.extend(list);
    }
    joined
}

#[derive(Default)]
struct Reader {
    blocks: Vec<Block>,
    /// Level and words; the title of the file says nothing about its parts and is left out.
    headings: Vec<(usize, String)>,
    item: Option<Item>,
    /// A line that announces what follows: `When it fails:`.
    lead: Option<Lead>,
    code: Option<Code>,
    in_comment: bool,
}

struct Item {
    text: String,
    children: Vec<String>,
    line: usize,
    indent: usize,
    bullet: bool,
    ended: bool,
}

struct Lead {
    text: String,
    indent: usize,
    bullet: bool,
    line: usize,
    used: bool,
}

struct Code {
    indent: usize,
    lines: Vec<String>,
    fence: String,
    language: String,
    line: usize,
}

impl Reader {
    fn read(&mut self, line: &str, number: usize) {
        if let Some(code) = &mut self.code {
            if line.trim_start().starts_with(code.fence.as_str()) {
                self.end_code();
            } else {
                let own = line.len() - line.trim_start().len();
                let from = own.min(code.indent);
                code.lines.push(line.get(from..).unwrap_or(line).to_owned());
            }
            return;
        }
        if self.in_comment {
            self.in_comment = !line.contains("-->");
            return;
        }
        let body = line.trim_start();
        let indent = line.len() - body.len();
        if body.starts_with("<!--") {
            self.in_comment = !body.contains("-->");
        } else if let Some(fence) = ["```", "~~~"].iter().find(|mark| body.starts_with(**mark)) {
            self.code = Some(Code {
                indent,
                lines: Vec::new(),
                fence: (*fence).to_owned(),
                language: body[fence.len()..].trim().to_lowercase(),
                line: number,
            });
        } else if body.is_empty() || body.chars().all(|c| matches!(c, '-' | '*' | '_' | '=')) {
            if let Some(item) = &mut self.item {
                item.ended = true;
            }
        } else if let Some((level, words)) = as_heading(body) {
            self.end_section();
            self.headings.retain(|(above, _)| *above < level);
            self.headings.push((level, words.to_owned()));
        } else if body.starts_with('|') {
            self.skip(number, "a table");
        } else if is_drawing(body) {
            self.skip(number, "a drawing");
        } else if body.starts_with('@') && !body.contains(' ') {
            self.skip(number, "names another file");
        } else if let Some(words) = as_bullet(body) {
            self.bullet(words, indent, number);
        } else {
            self.prose(body, indent, number);
        }
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
        self.end_lead();
        self.start(words, indent, false, line);
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
        if speaks_of_the_file(&item.text) {
            self.skip(item.line, "speaks about the file itself");
            return;
        }
        match &mut self.lead {
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
    }

    /// A lead that nothing followed is a statement of its own, unless it is a few words over something else.
    fn end_lead(&mut self) {
        if let Some(lead) = self.lead.take()
            && !lead.used
        {
            if lead.text.split_whitespace().count() <= LABEL {
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

    fn end_code(&mut self) {
        let Some(code) = self.code.take() else {
            return;
        };
        let text = code.lines.join("\n");
        if text.trim().is_empty() {
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
        if let Some(item) = self.item.as_mut().filter(|item| belongs(item)) {
            item.text = format!("{}\n```\n{text}\n```", item.text);
            item.ended = true;
            return;
        }
        self.end_item();
        if let Some(lead) = self.lead.take() {
            let text = format!("{}\n```\n{text}\n```", lead.text);
            self.push(Kind::Statement, text, Vec::new(), lead.line);
            return;
        }
        let shell = matches!(
            code.language.as_str(),
            "" | "bash" | "sh" | "shell" | "zsh" | "console" | "fish" | "powershell"
        );
        if !shell {
            self.skip(code.line, "code without a sentence");
            return;
        }
        self.commands(&code);
    }

    /// Each line of a shell block is a command; a comment above it says what for.
    fn commands(&mut self, code: &Code) {
        let mut comment: Option<String> = None;
        for (offset, line) in code.lines.iter().enumerate() {
            let line = line.trim().trim_start_matches("$ ");
            if let Some(words) = line.strip_prefix('#') {
                comment = Some(words.trim_start_matches('#').trim().to_owned());
            } else if line.is_empty() {
                comment = None;
            } else {
                let (command, behind) = match line.split_once(" # ") {
                    Some((command, words)) => (command.trim(), Some(words.trim().to_owned())),
                    None => (line, None),
                };
                let text = match behind.or_else(|| comment.clone()) {
                    Some(words) => format!("{words}: `{command}`"),
                    None => format!("`{command}`"),
                };
                self.push(Kind::Statement, text, Vec::new(), code.line + offset + 1);
            }
        }
    }

    fn skip(&mut self, line: usize, why: &'static str) {
        self.end_item();
        // A table has many lines and is one thing.
        let again = self
            .blocks
            .last()
            .is_some_and(|last| last.kind == Kind::Skipped(why) && last.line + 1 == line);
        if again {
            if let Some(last) = self.blocks.last_mut() {
                last.children.push(String::new());
            }
            return;
        }
        self.push(Kind::Skipped(why), String::new(), Vec::new(), line);
    }

    fn push(&mut self, kind: Kind, text: String, children: Vec<String>, line: usize) {
        let headings = self.headings.iter().filter(|(level, _)| *level > 1);
        let headings = headings.map(|(_, words)| words.clone()).collect();
        self.blocks.push(Block {
            kind,
            headings,
            text,
            children,
            line,
            lead: None,
        });
    }
}

/// Whether a line announces what follows: `When it fails:`, also in bold.
fn announces(text: &str) -> bool {
    text.trim_end_matches(['*', '_']).ends_with(':')
}

/// A lead without the marks around it: `**Key files:**` is `Key files:`.
fn plain_lead(text: &str) -> String {
    let bare = text.trim_end_matches(['*', '_']);
    let bare = match bare.strip_prefix("**").or_else(|| bare.strip_prefix("__")) {
        // The bold part may end before the line does.
        Some(rest) if !rest.contains("**") && !rest.contains("__") => rest,
        Some(rest) if rest.ends_with("**:") => return rest.replace("**:", ":"),
        _ => return text.to_owned(),
    };
    bare.to_owned()
}

/// Folders as a tree, boxes and arrows between them.
fn is_drawing(text: &str) -> bool {
    text.contains(['├', '└', '│', '┌', '┐', '┘', '▼', '▲', '╔', '║'])
}

fn as_heading(line: &str) -> Option<(usize, &str)> {
    let words = line.trim_start_matches('#');
    let level = line.len() - words.len();
    let words = words.strip_prefix(' ')?.trim().trim_end_matches('#');
    let words = words.trim().trim_matches('*').trim_end_matches(':');
    ((1..=6).contains(&level) && !words.is_empty()).then_some((level, words))
}

fn as_bullet(line: &str) -> Option<&str> {
    let marked = ["- ", "* ", "+ ", "• "]
        .iter()
        .find_map(|mark| line.strip_prefix(mark));
    if marked.is_some() {
        return marked.map(str::trim_start);
    }
    let digits = line.len() - line.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let rest = line.get(digits..)?;
    let words = rest
        .strip_prefix(". ")
        .or_else(|| rest.strip_prefix(") "))?;
    (1..=3).contains(&digits).then(|| words.trim_start())
}

fn speaks_of_the_file(text: &str) -> bool {
    let text = text.to_lowercase();
    [
        "this file provides guidance",
        "this document provides guidance",
        "this file contains",
    ]
    .iter()
    .any(|phrase| text.contains(phrase))
}
