//! Rules laid down in other languages than English: an order with a word that reaches further than the task, such as "immer",
//! "jamais" or 「必ず…してください」.

/// How a language that writes words apart lays something down.
struct Tongue {
    reaching: &'static [&'static str],
    /// Words that order something.
    orders: &'static [&'static str],
    /// Whether a verb as it stands in a dictionary orders ("immer pnpm verwenden"); asked of the words behind the one that reaches.
    by_infinitive: fn(&[&str]) -> bool,
    from_now: &'static [&'static str],
    moment: &'static [&'static str],
}

const TONGUES: [Tongue; 4] = [
    Tongue {
        reaching: &["immer", "stets", "nie", "niemals"],
        orders: &[
            "verwende", "nutze", "benutze", "schreib", "schreibe", "antworte", "mach", "mache",
            "lass", "committe", "pushe", "führe", "frag", "frage", "halte", "starte", "teste",
            "prüfe", "ändere",
        ],
        by_infinitive: |rest| rest.last().is_some_and(|last| last.ends_with("en")),
        from_now: &["ab jetzt ", "ab sofort ", "in zukunft ", "künftig "],
        moment: &[
            "heute", "erstmal", "vorerst", "diesmal", "gerade", "wenn ", "noch ",
        ],
    },
    Tongue {
        reaching: &["toujours", "jamais"],
        orders: &[
            "utilise",
            "utilisez",
            "écris",
            "écrivez",
            "réponds",
            "répondez",
            "fais",
            "faites",
            "lance",
            "lancez",
            "garde",
            "demande",
            "demandez",
            "ajoute",
            "ajoutez",
            "committe",
            "pousse",
            "modifie",
            "modifiez",
        ],
        by_infinitive: |rest| {
            let is_one = |word: &&str| ["er", "ir", "re"].iter().any(|end| word.ends_with(end));
            rest.first().is_some_and(is_one)
        },
        from_now: &["désormais", "dorénavant", "à partir de maintenant"],
        moment: &["aujourd'hui", "pour l'instant", "cette fois", "d'abord"],
    },
    Tongue {
        reaching: &["siempre", "nunca", "jamás"],
        orders: &[
            "usa",
            "use",
            "uses",
            "utiliza",
            "utilices",
            "escribe",
            "escribas",
            "responde",
            "haz",
            "hagas",
            "ejecuta",
            "ejecutes",
            "pregunta",
            "mantén",
            "añade",
            "modifiques",
            "subas",
            "toques",
        ],
        by_infinitive: |_| false,
        from_now: &["a partir de ahora", "de ahora en adelante"],
        moment: &["hoy", "por ahora", "esta vez", "de momento"],
    },
    Tongue {
        reaching: &["sempre", "nunca", "jamais"],
        orders: &[
            "use",
            "usa",
            "utilize",
            "escreva",
            "responda",
            "faça",
            "execute",
            "pergunte",
            "mantenha",
            "adicione",
            "modifique",
            "altere",
        ],
        by_infinitive: |_| false,
        from_now: &["a partir de agora", "de agora em diante"],
        moment: &["hoje", "por enquanto", "desta vez", "por agora"],
    },
];

/// How a language whose words are not written apart lays something down: one word of each list.
struct Script {
    reaching: &'static [&'static str],
    orders: &'static [&'static str],
    moment: &'static [&'static str],
}

const SCRIPTS: [Script; 3] = [
    Script {
        reaching: &["常に", "必ず", "今後", "絶対に", "決して", "勝手に", "直接"],
        orders: &["ください", "下さい", "こと", "ように", "禁止"],
        moment: &["今回", "今は", "とりあえず", "まだ", "一旦", "今日"],
    },
    Script {
        reaching: &[
            "始终", "始終", "总是", "總是", "一律", "以后", "以後", "今后", "今後", "永远", "永遠",
            "绝不", "絕不", "务必", "務必",
        ],
        orders: &["请", "請", "不要", "不得", "使用", "禁止", "切勿"],
        moment: &[
            "这次",
            "這次",
            "暂时",
            "暫時",
            "目前",
            "今天",
            "本次",
            "以后再",
            "以後再",
            "为什么",
            "為什麼",
        ],
    },
    Script {
        reaching: &["항상", "반드시", "절대", "앞으로"],
        orders: &[
            "세요",
            "해줘",
            "하지 마",
            "하지마",
            "말 것",
            "할 것",
            "해라",
        ],
        moment: &["이번", "지금은", "일단", "오늘"],
    },
];

/// So many words of a sentence may stand between what orders and what reaches.
const NEAR: usize = 4;

/// Whether a sentence lays something down in another language; `Some(false)` where it speaks of the moment only.
pub(super) fn lays_down(sentence: &str) -> Option<bool> {
    let lower = sentence.to_lowercase().replace('’', "'");
    let has = |list: &[&str]| list.iter().any(|word| lower.contains(word));
    let scripts = SCRIPTS.iter().filter(|_| !lower.is_ascii());
    let mut written = scripts.filter(|script| has(script.reaching) && has(script.orders));
    if let Some(script) = written.next() {
        return Some(!has(script.moment));
    }
    let words: Vec<&str> = lower
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !SMALL.contains(word))
        .collect();
    let (first, rest) = words.split_first()?;
    let spoken = TONGUES.iter().find(|tongue| {
        let reaches = |word: &&str| tongue.reaching.contains(word);
        let orders = |word: &&str| tongue.orders.contains(word);
        let is_ordered = orders(first) && rest.iter().take(NEAR).any(reaches);
        let is_told =
            reaches(first) && (rest.first().is_some_and(orders) || (tongue.by_infinitive)(rest));
        is_ordered || is_told || tongue.from_now.iter().any(|words| lower.starts_with(words))
    })?;
    Some(!has(spoken.moment))
}

/// Words that stand around an order and change nothing of it: requests, and the half of a denial.
const SMALL: [&str; 13] = [
    "", "bitte", "s", "il", "te", "vous", "plaît", "por", "favor", "ne", "n", "no", "não",
];

#[cfg(test)]
mod tests {
    use super::super::{Occasion, Reach, instructions};

    fn told(text: &str) -> Vec<Reach> {
        let found = instructions(text, Occasion::Talk).into_iter();
        found.map(|(_, reach)| reach).collect()
    }

    #[test]
    fn a_rule_is_one_in_whichever_language_it_is_laid_down() {
        for rule in [
            "Verwende immer pnpm für die Skripte.",
            "Bitte nie direkt auf main pushen.",
            "Antworte immer auf Deutsch!",
            "Ab jetzt schreiben wir Commits im Imperativ.",
            "N'utilise jamais npm dans ce dépôt.",
            "Toujours lancer le linter avant un commit.",
            "Désormais, les migrations vont dans db/migrate.",
            "Usa siempre pnpm en este repositorio.",
            "No uses nunca console.log en el servidor.",
            "Sempre use pnpm neste repositório.",
            "コミットの前に必ずリンターを実行してください。",
            "mainブランチに直接pushしないでください",
            "常に日本語で回答してください。",
            "请始终使用中文回答问题。",
            "永远不要直接推送到主分支。",
            "항상 한국어로 답변해 주세요.",
        ] {
            assert_eq!(told(rule), [Reach::Lasting], "{rule}");
        }
    }

    #[test]
    fn what_is_told_of_the_moment_or_of_what_happens_is_none() {
        for text in [
            "Das geht immer schief, schau mal nach.",
            "Immer wenn ich starte, stürzt es ab.",
            "Il échoue toujours au deuxième essai.",
            "Siempre falla en el segundo intento.",
            "今回は必ずmainから始めてください。",
            "まだ実行しないでください。",
            "サーバーが常に二回起動します。",
            "它总是在第二次失败。",
            "这次请务必使用旧的接口。",
        ] {
            assert!(!told(text).contains(&Reach::Lasting), "{text}");
        }
    }
}
