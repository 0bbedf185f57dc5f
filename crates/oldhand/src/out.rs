//! How answers look: data on standard output, words on standard error.
//!
//! Colours and widths are decided once, here. A reader who leaves early (`oldhand list | head -1`) is no error.

mod progress;
pub(crate) mod size;
pub(crate) mod style;
pub(crate) mod time;
mod visible;
pub(crate) mod wrap;

use std::cell::RefCell;
use std::io::{self, IsTerminal, Write};

use anstream::{AutoStream, ColorChoice};
use anstyle::Style;
use anyhow::Result;
use serde::Serialize;

pub(crate) use progress::{Progress, Waiting};

use crate::explain::Explained;
use crate::view::ErrorView;
use visible::{visible, without_colours};

/// What is written before it is handed on: one system call for most answers.
const BUFFER: usize = 64 * 1024;
/// The width where nobody says otherwise, and the widest that is pleasant to read.
const WIDTH: usize = 80;
const WIDEST: usize = 100;
const NARROWEST: usize = 40;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Human,
    Json,
}

pub(crate) struct Out {
    format: Format,
    colors: ColorChoice,
    width: usize,
    buffer: RefCell<Vec<u8>>,
    /// What was noted, where another door asked; `None` says it on standard error.
    kept: Option<RefCell<Vec<String>>>,
}

impl Out {
    pub(crate) fn new(format: Format, colors: ColorChoice) -> Self {
        let width = if io::stdout().is_terminal() {
            terminal_size::terminal_size().map_or(WIDTH, |(width, _)| usize::from(width.0))
        } else {
            WIDTH
        };
        Self {
            format,
            colors,
            width: width.clamp(NARROWEST, WIDEST),
            buffer: RefCell::default(),
            kept: None,
        }
    }

    /// Another of the same kind, for a command that is run by a command.
    pub(crate) fn again(&self) -> Self {
        Self::new(self.format, self.colors)
    }

    /// For another door: nothing is printed, and JSON and notes are kept until they are taken.
    pub(crate) fn kept() -> Self {
        Self {
            format: Format::Json,
            colors: ColorChoice::Never,
            width: WIDTH,
            buffer: RefCell::default(),
            kept: Some(RefCell::default()),
        }
    }

    /// What was answered and what was noted so far.
    pub(crate) fn take(self) -> (Vec<u8>, Vec<String>) {
        let notes = self.kept.map(RefCell::into_inner).unwrap_or_default();
        (self.buffer.into_inner(), notes)
    }

    /// Whether it is for another door, which goes on when it was answered.
    pub(crate) fn is_kept(&self) -> bool {
        self.kept.is_some()
    }

    pub(crate) fn is_json(&self) -> bool {
        self.format == Format::Json
    }

    /// In columns.
    pub(crate) fn width(&self) -> usize {
        self.width
    }

    /// One JSON document on a line of its own.
    pub(crate) fn json(&mut self, value: &impl Serialize) -> Result<()> {
        serde_json::to_writer(&mut *self, value)?;
        writeln!(self)?;
        Ok(())
    }

    /// Text of several lines, each indented and wrapped at the width.
    pub(crate) fn paragraph(&mut self, indent: &str, text: &str) -> io::Result<()> {
        for line in wrap::wrap(text, self.width - wrap::width(indent)) {
            if line.is_empty() {
                writeln!(self)?;
            } else {
                writeln!(self, "{indent}{line}")?;
            }
        }
        Ok(())
    }

    /// One line of pieces, each behind what parts it from the one before. What has no room goes on below, behind `indent`; a piece longer than a line
    /// is broken at its spaces alone, so that paths can be copied.
    pub(crate) fn pieces(
        &mut self,
        indent: &str,
        pieces: &[(&str, Style, &str)],
    ) -> io::Result<()> {
        let mut at = 0;
        for (gap, style, piece) in pieces {
            if at > 0 && at + wrap::width(gap) + wrap::width(piece) > self.width {
                write!(self, "\n{indent}")?;
                at = wrap::width(indent);
            } else {
                write!(self, "{}{gap}{:#}", style::FAINT, style::FAINT)?;
                at += wrap::width(gap);
            }
            let room = self.width - at.max(wrap::width(indent));
            for (number, line) in wrap::wrap_words(piece, room).iter().enumerate() {
                if number > 0 {
                    write!(self, "\n{indent}")?;
                    at = wrap::width(indent);
                }
                write!(self, "{style}{line}{style:#}")?;
                at += wrap::width(line);
            }
        }
        writeln!(self)
    }

    /// Pieces, and a sentence behind them that is broken at any of its spaces.
    pub(crate) fn sentence(
        &mut self,
        indent: &str,
        head: &[(&str, Style, &str)],
        (gap, style, sentence): (&str, Style, &str),
    ) -> io::Result<()> {
        let words = sentence.split_whitespace().enumerate();
        let words = words.map(|(at, word)| (if at == 0 { gap } else { " " }, style, word));
        let pieces: Vec<_> = head.iter().copied().chain(words).collect();
        self.pieces(indent, &pieces)
    }

    /// Words beside the answer, on standard error: what happened on the way.
    pub(crate) fn note(&self, text: &str) {
        self.words(style::NOTE, "note", text);
    }

    pub(crate) fn hint(&self, text: &str) {
        self.words(style::HINT, "hint", text);
    }

    /// Says why a command failed, in the format that was asked for.
    pub(crate) fn fail(&self, explained: &Explained) {
        let hint = explained.hint.as_deref();
        if !self.is_json() {
            self.words(style::ERROR, "error", &explained.message);
            if let Some(hint) = hint {
                self.hint(hint);
            }
            return;
        }
        let view = ErrorView {
            error: &explained.message,
            kind: explained.kind_name(),
            hint,
        };
        let line = serde_json::to_string(&view).expect("an error is plain text");
        // Nobody is left to be told that standard error is closed.
        let _ = writeln!(io::stderr(), "{line}");
    }

    fn words(&self, style: Style, label: &str, text: &str) {
        if let Some(kept) = &self.kept {
            kept.borrow_mut().push(text.to_owned());
            return;
        }
        // Both may be one terminal, where what was said first is to stand first. A reader who left is noticed when
        // the answer ends.
        let _ = self.hand_on(Work::UnderWay);
        let mut stderr = AutoStream::new(io::stderr(), self.colors).lock();
        // Nobody is left to be told that standard error is closed.
        let text = visible(text);
        let indent = label.len() + 2;
        let text = if io::stderr().is_terminal() {
            let lines = wrap::wrap_whole_code(&text, self.width.saturating_sub(indent));
            lines.join(&format!("\n{}", " ".repeat(indent)))
        } else {
            text.to_string()
        };
        let _ = writeln!(stderr, "{style}{label}:{style:#} {text}");
    }

    /// Asks on the terminal. `None` when nobody is there to answer.
    pub(crate) fn ask(&mut self, question: &str) -> Result<Option<bool>> {
        if self.is_json() || !can_ask() {
            return Ok(None);
        }
        self.flush()?;
        let mut stderr = AutoStream::new(io::stderr(), self.colors).lock();
        let style = style::QUESTION;
        let keys = "[y/N]";
        let question = wrap::wrap_words(&format!("{question} {keys}"), self.width).join("\n");
        let question = question.trim_end_matches(keys);
        write!(stderr, "{style}{question}{style:#}{keys} ")?;
        stderr.flush()?;
        // An interruption says something too, and must not have to wait for the answer.
        drop(stderr);
        let mut answer = String::new();
        io::stdin().read_line(&mut answer)?;
        Ok(Some(matches!(
            answer.trim().to_lowercase().as_str(),
            "y" | "yes"
        )))
    }

    /// Prints what is left when all is done.
    pub(crate) fn finish(&mut self) -> io::Result<()> {
        self.hand_on(Work::Done)
    }

    fn hand_on(&self, work: Work) -> io::Result<()> {
        self.print().map_err(|error| match error.kind() {
            // Whoever has left does not wait for an answer.
            io::ErrorKind::BrokenPipe => error,
            kind => io::Error::new(kind, Unprinted { work, error }),
        })
    }

    fn print(&self) -> io::Result<()> {
        let mut buffer = self.buffer.borrow_mut();
        if buffer.is_empty() || self.kept.is_some() {
            return Ok(());
        }
        let colors = match self.colors {
            ColorChoice::Auto => AutoStream::choice(&io::stdout()),
            chosen => chosen,
        };
        match self.format {
            // JSON has its own way of writing what cannot be seen.
            Format::Json => io::stdout().write_all(&buffer)?,
            Format::Human => {
                let text = String::from_utf8_lossy(&buffer);
                let text = visible(&text);
                if colors == ColorChoice::Never {
                    // The stream would write each stretch between two colours by itself.
                    io::stdout().write_all(without_colours(&text).as_bytes())?;
                } else {
                    AutoStream::new(io::stdout(), colors).write_all(text.as_bytes())?;
                }
            }
        }
        buffer.clear();
        io::stdout().flush()
    }
}

/// Standard output does not take an answer: it is a file on a full disk, or closed.
#[derive(Debug, thiserror::Error)]
#[error("could not print the answer")]
pub(crate) struct Unprinted {
    pub(crate) work: Work,
    #[source]
    error: io::Error,
}

/// How far a command was when its answer could not be printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Work {
    UnderWay,
    Done,
}

/// Says that it is another process that takes its time.
pub(crate) fn tell_waiting() {
    // Nobody is left to be told that standard error is closed.
    let _ = writeln!(io::stderr(), "note: waiting for another process…");
}

/// Whether a person sits in front of this.
pub(crate) fn can_ask() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

impl Write for Out {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let buffer = self.buffer.get_mut();
        buffer.extend_from_slice(bytes);
        if buffer.len() >= BUFFER {
            self.hand_on(Work::UnderWay)?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.hand_on(Work::UnderWay)
    }
}
