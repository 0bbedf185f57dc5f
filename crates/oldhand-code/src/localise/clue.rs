//! The clues, and what each is worth.

/// One reason why a file may be the one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(usize)]
pub enum Clue {
    /// The text says its path.
    Path,
    /// It is in the traceback, the innermost most.
    Frame,
    /// A dotted name spells its path.
    Module,
    /// A name of the text is the file's own.
    Stem,
    /// It defines what the text says as code.
    Defines,
    /// It defines what the first line says.
    DefinesTitled,
    /// It defines what is a word of the text.
    DefinesWord,
    /// It defines a type and its member that the text says together.
    DefinesMember,
    Words,
    WordsPlace,
    TitleWords,
    NameWords,
    FolderWords,
    History,
    HistoryPlace,
    /// Its best piece by words.
    Piece,
    PieceTitled,
    /// Its best piece by meaning.
    Meaning,
    MeaningTitled,
    /// It holds messages that the text quotes.
    Quotes,
    IsTest,
    IsSource,
    IsAside,
    IsEntry,
    Size,
    Used,
    UsedByBest,
    UsesBest,
}

impl Clue {
    pub const ALL: [Self; 28] = [
        Self::Path,
        Self::Frame,
        Self::Module,
        Self::Stem,
        Self::Defines,
        Self::DefinesTitled,
        Self::DefinesWord,
        Self::DefinesMember,
        Self::Words,
        Self::WordsPlace,
        Self::TitleWords,
        Self::NameWords,
        Self::FolderWords,
        Self::History,
        Self::HistoryPlace,
        Self::Piece,
        Self::PieceTitled,
        Self::Meaning,
        Self::MeaningTitled,
        Self::Quotes,
        Self::IsTest,
        Self::IsSource,
        Self::IsAside,
        Self::IsEntry,
        Self::Size,
        Self::Used,
        Self::UsedByBest,
        Self::UsesBest,
    ];
}

/// How much of each clue a file has.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Clues([f32; 28]);

impl Clues {
    pub fn get(&self, clue: Clue) -> f32 {
        self.0[clue as usize]
    }

    pub(super) fn set(&mut self, clue: Clue, value: f32) {
        self.0[clue as usize] = value;
    }

    pub(super) fn add(&mut self, clue: Clue, value: f32) {
        self.0[clue as usize] += value;
    }

    /// Keeps the larger.
    pub(super) fn raise(&mut self, clue: Clue, value: f32) {
        let known = &mut self.0[clue as usize];
        *known = known.max(value);
    }

    pub(super) fn score(&self) -> f32 {
        self.0
            .iter()
            .zip(WEIGHTS)
            .map(|(value, weight)| value * weight)
            .sum()
    }
}

/// In the order of [`Clue`].
const WEIGHTS: [f32; 28] = [
    3.0, 2.0, 2.5, 1.0, 2.0, 1.5, 0.7, 1.5, 2.0, 0.5, 1.0, 0.8, 0.3, 1.5, 0.5, 1.5, 0.8, 1.0, 1.0,
    1.0, -2.5, 1.0, -1.5, -0.5, 0.0, 0.0, 0.5, 0.3,
];
