//! Rules laid down in other languages than English: only what can hardly be a report of a bug or a task, such as "verwende immer …",
//! 「絶対に…ないでください」 or "以后请…". Where what orders and what tells are spelled alike ("usa siempre" is "use" and "it uses"),
//! the person has to say please.

use super::places_of;

/// How a language that writes words apart lays something down.
struct Tongue {
    reaching: &'static [&'static str],
    /// Openings that reach further; an order has to follow.
    from_now: &'static [&'static str],
    /// Verbs that can only order.
    orders: &'static [&'static str],
    please: &'static [&'static str],
    /// Verbs that order beside a word of asking.
    asked: &'static [&'static str],
}

const TONGUES: [Tongue; 4] = [
    Tongue {
        reaching: &["immer", "stets", "nie", "niemals"],
        from_now: &["ab jetzt ", "ab sofort ", "in zukunft ", "künftig "],
        orders: &[
            "verwende", "schreib", "schreibe", "antworte", "committe", "pushe",
        ],
        please: &["bitte"],
        asked: &[
            "nutze",
            "benutze",
            "starte",
            "verwenden",
            "nutzen",
            "benutzen",
            "schreiben",
            "antworten",
            "committen",
            "pushen",
            "ausführen",
        ],
    },
    Tongue {
        reaching: &["toujours", "jamais"],
        from_now: &["désormais", "dorénavant", "à partir de maintenant"],
        orders: &["utilisez", "écris", "écrivez", "réponds", "répondez"],
        please: &["plaît", "plait"],
        asked: &["utilise", "lance", "pousse"],
    },
    Tongue {
        reaching: &["siempre", "nunca", "jamás"],
        from_now: &["a partir de ahora", "de ahora en adelante"],
        orders: &[
            "use",
            "uses",
            "utilice",
            "utilices",
            "escriba",
            "escribas",
            "responda",
            "respondas",
            "hagas",
            "ejecute",
            "ejecutes",
        ],
        please: &["por favor"],
        asked: &["usa", "utiliza", "escribe", "responde", "ejecuta"],
    },
    Tongue {
        reaching: &["sempre", "nunca", "jamais"],
        from_now: &["a partir de agora", "de agora em diante"],
        orders: &["use", "utilize", "escreva", "responda", "execute"],
        please: &["por favor"],
        asked: &["usa"],
    },
];

/// Words that stand around an order and change nothing of it: requests, and the half of a denial.
const SMALL: [&str; 14] = [
    "", "bitte", "s", "il", "te", "vous", "plaît", "plait", "por", "favor", "ne", "n", "no", "não",
];

/// Words of the moment, of what somebody does or did, and of what went wrong.
const TOLD: [&str; 34] = [
    "heute",
    "erstmal",
    "vorerst",
    "diesmal",
    "gerade",
    "wenn",
    "noch",
    "bis",
    "ich",
    "mir",
    "wieder",
    "trotzdem",
    "aber",
    "dann",
    "fehler",
    "aujourd'hui",
    "pour l'instant",
    "cette fois",
    "d'abord",
    "mais",
    "erreur",
    "quand",
    "hoy",
    "por ahora",
    "esta vez",
    "de momento",
    "pero",
    "cuando",
    "hoje",
    "por enquanto",
    "desta vez",
    "mas",
    "quando",
    "erro",
];

/// What points at a thing; without a project in the sentence, only the conversation knows which.
const POINTING: [&str; 20] = [
    "diese", "diesem", "diesen", "dieser", "dieses", "ce", "cet", "cette", "ces", "este", "esta",
    "esto", "neste", "nesta", "deste", "desta", "hier", "ici", "aquí", "aqui",
];
const PROJECTS: [&str; 7] = [
    "repo", "projekt", "projet", "proyecto", "projeto", "dépôt", "code",
];

/// Sentences in scripts without such words: one of the first, and one of the second that ends it.
const ENDED: [(&[&str], &[&str]); 6] = [
    (&["常に", "今後は"], &["回答してください", "答えてください"]),
    (&["今後は"], &["使用してください", "使ってください"]),
    (
        &["絶対に", "決して", "今後は"],
        &["ないでください", "ないで下さい"],
    ),
    (
        &["항상 ", "앞으로는 "],
        &["답변해 주세요", "답변해주세요", "답변해줘"],
    ),
    (
        &["앞으로는 "],
        &["사용하세요", "사용해 주세요", "사용해주세요", "사용해줘"],
    ),
    (
        &["절대로 ", "앞으로는 "],
        &["하지 마세요", "하지 마", "하지마", "하지 말아 주세요"],
    ),
];

/// How a Chinese sentence opens that orders.
const OPENED: [&str; 20] = [
    "请始终使用",
    "请始终用",
    "请总是使用",
    "请一律使用",
    "請始終使用",
    "請一律使用",
    "永远不要",
    "请永远不要",
    "永遠不要",
    "請永遠不要",
    "绝不要",
    "絕不要",
    "以后请",
    "以後請",
    "今后请",
    "今後請",
    "以后不要",
    "以後不要",
    "今后不要",
    "今後不要",
];

/// Words of the moment, of what is pointed at and of what went wrong in these scripts.
const WRITTEN: [&str; 33] = [
    "今回",
    "今は",
    "とりあえず",
    "まだ",
    "一旦",
    "今日",
    "まで",
    "この",
    "その",
    "ので",
    "エラー",
    "失敗",
    "问题是",
    "这次",
    "這次",
    "暂时",
    "暫時",
    "目前",
    "今天",
    "本次",
    "这个",
    "這個",
    "错误",
    "錯誤",
    "报错",
    "这样",
    "이 파일",
    "이 함수",
    "이번",
    "지금은",
    "일단",
    "오늘",
    "오류",
];

/// Whether a sentence lays something down in another language; `Some(false)` where it speaks of the moment only.
pub(super) fn lays_down(sentence: &str) -> Option<bool> {
    let lower = sentence.to_lowercase().replace('’', "'");
    is_spoken(&lower).or_else(|| is_written(&lower))
}

fn is_spoken(lower: &str) -> Option<bool> {
    let any = |list: &[&str]| {
        let mut words = list.iter();
        words.any(|word| places_of(lower, word).next().is_some())
    };
    let tongue = TONGUES.iter().find(|tongue| {
        let after = tongue
            .from_now
            .iter()
            .find_map(|now| lower.strip_prefix(now));
        let said: Vec<&str> = after
            .unwrap_or(lower)
            // A word before a comma belongs to another clause than the one behind it.
            .split(|c: char| !c.is_alphanumeric() && c != ',')
            .filter(|word| !SMALL.contains(&word.trim_matches(',')))
            .collect();
        let is_asked = any(tongue.please);
        let reaches = |word: &&str| tongue.reaching.contains(word);
        let orders =
            |word: &&str| tongue.orders.contains(word) || is_asked && tongue.asked.contains(word);
        said.split_first().is_some_and(|(first, rest)| {
            let reached = after.is_some() || rest.first().is_some_and(reaches);
            let behind = rest.first().is_some_and(orders);
            // "Bitte nie auf main pushen."
            let at_end = lower.starts_with("bitte ") && rest.last().is_some_and(orders);
            orders(first) && reached || reaches(first) && (behind || at_end)
        })
    });
    let points = any(&POINTING) && !PROJECTS.iter().any(|place| lower.contains(place));
    tongue.map(|_| !any(&TOLD) && !points)
}

fn is_written(lower: &str) -> Option<bool> {
    let bare = lower.trim_end_matches(['。', '.', '！', '!']);
    let has = |list: &[&str]| list.iter().any(|word| bare.contains(word));
    // 请求 is a request that a program makes.
    let is_opened = OPENED.iter().any(|words| {
        bare.strip_prefix(words)
            .is_some_and(|rest| !rest.starts_with('求'))
    });
    let is_ended = ENDED
        .iter()
        .any(|(reaching, ends)| has(reaching) && ends.iter().any(|end| bare.ends_with(end)));
    (is_opened || is_ended).then(|| !has(&WRITTEN))
}

#[cfg(test)]
mod tests {
    use super::super::{Reach, instructions};

    fn told(text: &str) -> Vec<Reach> {
        let found = instructions(text).into_iter();
        found.map(|(_, reach)| reach).collect()
    }

    #[test]
    fn a_rule_is_one_in_whichever_language_it_is_laid_down() {
        for rule in [
            "Verwende immer pnpm für die Skripte.",
            "Bitte nie direkt auf main pushen.",
            "Bitte immer pnpm verwenden, nicht npm nutzen",
            "Antworte immer auf Deutsch!",
            "Ab jetzt verwende pnpm für alles.",
            "N'utilisez jamais npm dans ce dépôt.",
            "S'il te plaît, utilise toujours pnpm.",
            "Désormais, répondez en français.",
            "No uses nunca console.log en el servidor.",
            "Por favor, usa siempre pnpm en este repositorio.",
            "Sempre use pnpm neste repositório.",
            "mainブランチに絶対にpushしないでください",
            "常に日本語で回答してください。",
            "今後はpnpmを使ってください。",
            "请始终使用中文回答问题。",
            "永远不要直接推送到主分支。",
            "以后请使用pnpm安装依赖。",
            "앞으로는 pnpm을 사용해 주세요.",
            "항상 한국어로 답변해 주세요.",
        ] {
            assert_eq!(told(rule), [Reach::Lasting], "{rule}");
        }
    }

    #[test]
    fn reports_of_bugs_and_tasks_are_none() {
        for text in [
            "Das geht immer schief, schau mal nach.",
            "Immer wenn ich starte, stürzt es ab.",
            "Immer wieder Fehler beim Starten",
            "Nie so einen komischen Fehler gesehen",
            "Ab jetzt geht der Test nicht mehr durch.",
            "Verwende immer Version 2, bekomme aber einen Absturz.",
            "Starte immer den Server neu, hilft nicht.",
            "Bitte den Test anpassen, die Daten sind immer alt.",
            "Bitte fixen, dass wir immer alte Daten schreiben.",
            "Schreib immer eine Zeile in diesem Formular.",
            "Immer dieselbe Warnung beim Bauen, bitte Fix schreiben.",
            "Lass den Server immer laufen, während du testest.",
            "Schreib einen Test, der Build ist immer rot.",
            "Por favor responde, siempre sale el mismo aviso.",
            "Por favor ejecuta los tests, siempre fallan.",
            "Utilisez le nouveau client, l'ancien ne répond jamais.",
            "Nunca use a tabela antiga nesta tela.",
            "ボタンが常に見えるCSSを使ってください。",
            "항상 죽는 서버 대신 새 서버를 사용해 주세요.",
            "Il échoue toujours au deuxième essai.",
            "Toujours notre problème de cache.",
            "Désormais la page ne se charge plus.",
            "Demande toujours le mot de passe après la connexion.",
            "N'utilise jamais le cache, même activé.",
            "Siempre falla en el segundo intento.",
            "Usa siempre el puerto 3000 aunque cambie la configuración.",
            "Responde siempre con un 500 al segundo intento.",
            "A partir de ahora el test falla siempre.",
            "Ajoutez toujours un bouton de retour à la page.",
            "Haz siempre visible el botón de guardar.",
            "Faça sempre o botão visível na tela.",
            "Sempre usa o cache antigo depois do login.",
            "A partir de agora o teste falha sempre.",
            "今回は常に古いAPIを使ってください。",
            "まだ絶対に実行しないでください。",
            "サーバーが常に二回起動します。",
            "直接アクセスすることができません。",
            "常に再起動しているように見えます。",
            "常に再起動する問題を修正してください。",
            "サーバーが必ず落ちることを確認しました。",
            "必ず落ちるテストを実行してください。",
            "このファイルを直接編集してください。",
            "今後の計画を書いてください。",
            "✅ 必ずリンターを実行してください。",
            "✅ 常に日本語で回答してください。",
            "它总是在第二次失败。",
            "这次请始终使用旧的接口。",
            "登录以后请求返回500错误。",
            "以后请求都会返回500状态码。",
            "升级以后使用pnpm会报错。",
            "使用缓存时总是失败。",
            "始终使用旧的缓存，刷新也没用。",
            "절대 경로를 확인해 주세요.",
            "항상 실패하는 테스트를 고쳐 주세요.",
            "이 파일에서는 절대로 수정하지 마세요.",
            "以后不要再这样做了，谢谢。",
            "버튼을 앞으로 이동해 주세요.",
        ] {
            assert!(!told(text).contains(&Reach::Lasting), "{text}");
        }
    }
}
