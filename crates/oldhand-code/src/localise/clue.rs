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
    /// Its words, whole.
    Words,
    /// Its place by words.
    WordsPlace,
    /// The words of the first line.
    TitleWords,
    /// Its name has words of the text.
    NameWords,
    /// Its folders have words of the text.
    FolderWords,
    /// Commits that said the like changed it.
    History,
    /// Its place by history.
    HistoryPlace,
    /// Its best piece by words.
    Piece,
    /// Its best piece for the first line.
    PieceTitled,
    /// Its best piece by meaning.
    Meaning,
    /// Its piece nearest to the first line.
    MeaningTitled,
    /// It is there for tests.
    IsTest,
    /// It is in a language that is read.
    IsSource,
    /// It stands beside the product: documents, examples, scripts.
    IsAside,
    /// How many use it.
    Used,
    /// A likely file uses it.
    UsedByBest,
}

impl Clue {
    pub const ALL: [Self; 24] = [
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
        Self::IsTest,
        Self::IsSource,
        Self::IsAside,
        Self::Used,
        Self::UsedByBest,
    ];

    /// Sums of many small hits stop to count at some point.
    fn shape(self, value: f32) -> f32 {
        match self {
            Self::Defines | Self::DefinesTitled | Self::DefinesWord => 2.0 * value / (1.0 + value),
            Self::NameWords | Self::FolderWords => 2.0 * value / (1.0 + 2.0 * value),
            _ => value,
        }
    }
}

/// How much of each clue a file has.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Clues([f32; Clue::ALL.len()]);

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
        let parts = Clue::ALL.into_iter().zip(WEIGHTS);
        parts
            .map(|(clue, weight)| weight * clue.shape(self.get(clue)))
            .sum()
    }
}

/// How much each clue counts and in which direction, in the order of [`Clue::ALL`]. Learned on the tuning half of public issues
/// with known fixes, and held near plain guesses because there are few of them.
const WEIGHTS: [f32; Clue::ALL.len()] = [
    2.0,  // Path
    1.7,  // Frame
    1.1,  // Module
    0.76, // Stem
    0.68, // Defines
    0.44, // DefinesTitled
    0.38, // DefinesWord
    1.1,  // DefinesMember
    1.3,  // Words
    0.46, // WordsPlace
    0.54, // TitleWords
    0.47, // NameWords
    0.21, // FolderWords
    0.88, // History
    0.74, // HistoryPlace
    1.9,  // Piece
    0.85, // PieceTitled
    0.97, // Meaning
    1.5,  // MeaningTitled
    -3.6, // IsTest
    2.5,  // IsSource
    -1.4, // IsAside
    0.44, // Used
    0.42, // UsedByBest
];
