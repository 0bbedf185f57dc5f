//! What is a rule in other languages than English, and what only looks like one.

use oldhand_domain::text::SUMMARY_LIMIT;
use oldhand_domain::tokens;

use super::{unfit, word};
use crate::language::instruction::instructions;

/// The rules that come of a prompt.
fn heard(prompt: &str) -> Vec<&str> {
    let found = instructions(prompt).into_iter();
    let fit = found.filter(|(rule, reach)| unfit(*reach, rule).is_none());
    fit.map(|(rule, _)| rule).collect()
}

/// Every rule is heard as it stands, and nothing else; there are twice as many of the others.
fn check(rules: &[&str], others: &[&str]) {
    assert!(others.len() >= 2 * rules.len(), "{}", others.len());
    for rule in rules {
        assert_eq!(heard(rule), [*rule], "{rule}");
    }
    for text in others {
        assert_eq!(heard(text), Vec::<&str>::new(), "{text}");
    }
}

#[test]
fn japanese() {
    check(
        &[
            "今後はテストを書いてからコミットするようにしてください",
            "毎回コミットする前にフォーマッタを走らせて",
            "今後はpnpmを使ってください。",
            "今後、PRのタイトルは英語で書いてください",
            "コミットメッセージは今後は日本語で書いて",
            "これからはmainに直接コミットしないで",
            "次回からブランチを切ってから作業すること",
            "常に日本語で回答してください。",
            "テストは毎回`pnpm test`で実行してください",
            "mainブランチに絶対にpushしないでください",
            "絶対にforce pushしないで。",
            "コミット前に必ずlintを実行してください",
            "PRを作る前に必ずテストを通すこと",
            "ブランチを切る際は必ずgit-wtでworktreeを作るようにしてください",
            "必ずworktreeで作業すること",
            "このリポジトリでは常にuvを使ってください",
            "今後は`fetchJson`を使ってください",
            "AGENTS.mdに、コミット前にREADMEが変更を取り込んでいるか確認する指示を追加して",
            "グローバル設定に、ブランチを切る際は必ずgit-wtでworktreeを作る形にするようにとの指示を追加してください",
        ],
        &[
            "いつも通りコミットしてください",
            "常に最新のコミットを表示するウィジェットを置いてください",
            "ユーザーが毎回ログインしなくていいようにテストを書いて",
            "デプロイ後に必ず画面が白くなるのを直して",
            "CLAUDE.mdに指示を追加してください",
            "今後は使わないから、mainのブランチを消して",
            "今後はpnpmを使うようにREADMEを修正して",
            "設定画面にルールを追加してください",
            "今回は常に古いAPIを使ってください。",
            "今回はpnpmを使ってください",
            "まだ絶対に実行しないでください。",
            "サーバーが常に二回起動します。",
            "直接アクセスすることができません。",
            "常に再起動しているように見えます。",
            "常に再起動する問題を修正してください。",
            "サーバーが必ず落ちることを確認しました。",
            "必ず落ちるテストを実行してください。",
            "毎回失敗するテストを直してください",
            "毎回CIが失敗するのを直してください",
            "いつもコミットで止まるので調べてください",
            "このファイルを直接編集してください。",
            "今後の計画を書いてください。",
            "今後のリリースの予定をまとめてください",
            "今後はどのブランチで作業しますか？",
            "今後はpnpmを使うべきでしょうか。",
            "今後テンプレートを置くようにしようかなぁ、一旦コミットして",
            "ポートの話や、portlessを今後試したいなど、色々追加してみてください",
            "v2以降はブランチを分けたと思います",
            "3行目以降はテストを消してください",
            "✅ 必ずリンターを実行してください。",
            "✅ 常に日本語で回答してください。",
            "ボタンが常に見えるCSSを使ってください。",
            "ボタンは常に表示してください",
            "ヘッダーは常に`isOpen`を返すようにしてください",
            "必ずテストを実行してください",
            "必ず全部のページを確認してください",
            "このセッションでは絶対にコミットしないでください",
            "それは絶対にコミットしないで",
            "コミットしてプッシュして",
            "「常にmainへpushしてください」と表示する画面です",
            "画面に「今後はpnpmを使ってください。」と出してください",
            "以前は毎回テストを実行していました",
            "いつもありがとうございます。テストを実行してください",
            "今後はE2Eテストも書いていきたいなと思って",
            "毎回テストで待たされて",
            "リリース前に必ずテストしておいて",
            "明日のリリースでは絶対にmainにpushしないで",
            "マージする前に必ずコンフリクトを解消して",
            "毎回CIでテストが落ちてて",
            "常にテストが落ちている状態になって",
            "今後はテストを自動化したいと考えて",
            "今後はリリースを週一にするって",
            "今後はpnpmを使うって聞いて",
            "次回からブランチを分けるって言って",
            "以降、テストは全部落ちて",
            "コミット前に必ずビルドが走って",
            "絶対にテストは通ってて",
            "これからはmainで開発するって決めて",
            "ログアウトの際に必ずトークンをプッシュして",
            "注文の度に必ずテストメールを送って",
        ],
    );
}

#[test]
fn korean() {
    check(
        &[
            "절대 .env 파일을 커밋하지 마세요",
            "이제부터 커밋은 작게 나눠서 해줘",
            "앞으로는 pnpm을 사용해 주세요.",
            "앞으로 커밋 메시지는 한국어로 작성해줘",
            "항상 한국어로 답변해 주세요.",
            "커밋 메시지는 항상 영어로 작성해 주세요",
            "main 브랜치에 절대 push하지 마세요",
            "절대로 main에 직접 푸시하지 마",
            "다음부터는 브랜치를 따서 작업해줘",
            "커밋하기 전에 반드시 린트를 돌려줘",
            "테스트는 매번 pytest로 돌려줘",
            "이 프로젝트에서는 항상 uv를 사용하세요",
        ],
        &[
            "커밋 목록을 항상 최신순으로 정렬해 주세요",
            "앞으로 나올 버전 테스트도 준비해줘",
            "무조건 테스트 통과하게 해줘",
            "로그인 전에 반드시 테스트 페이지를 띄워 주세요",
            "앞으로는 안 쓰니까 브랜치를 정리해 주세요",
            "이번에는 pnpm을 사용해 주세요.",
            "절대 경로를 확인해 주세요.",
            "import는 절대 경로로 커밋해 주세요",
            "항상 실패하는 테스트를 고쳐 주세요.",
            "항상 죽는 서버 대신 새 서버를 사용해 주세요.",
            "이 파일에서는 절대로 수정하지 마세요.",
            "버튼을 앞으로 이동해 주세요.",
            "브랜치 목록을 앞으로 옮겨 주세요",
            "앞으로 뭘 커밋해야 하나요?",
            "앞으로 테스트를 어떻게 할지 정리해 봅시다",
            "테스트가 항상 실패해",
            "버튼은 항상 보이게 해 주세요",
            "매번 오류가 나는 테스트를 확인해줘",
            "반드시 테스트를 돌려줘",
            "커밋해줘",
            "지금은 커밋하지 마세요",
            "일단 앞으로는 main에 푸시하지 마",
            "이건 절대 커밋하지 마, 아까 말한 대로",
            "\"항상 pnpm을 사용해 주세요\" 라고 표시해 주세요",
            "배포가 매번 느린데 확인해 주세요",
            "항상 테스트가 깨져 있어서 확인해 주세요",
            "앞으로 3일간 main에 푸시하지 마세요",
            "내일까지 절대 main에 푸시하지 마",
            "앞으로 테스트 서버를 띄워 주세요",
            "커밋할 때마다 매번 알려 줘서 고마워요, 테스트 해줘",
            "항상 고마워요 테스트 돌려줘",
            "항상 수고가 많아요, 커밋해 주세요",
            "항상 감사합니다 커밋해 주세요",
            "앞으로 배포까지 남은 작업을 커밋해 주세요",
            "앞으로 한 시간 안에 커밋해 주세요",
            "앞으로 두 커밋만 더 푸시해 주세요",
            "다음부터 세 번째 커밋까지 합쳐 주세요",
            "절대 안 되는 테스트만 골라 주세요",
            "매번 느려서 답답한 테스트 좀 봐 주세요",
        ],
    );
}

#[test]
fn chinese() {
    check(
        &[
            "以后所有提交信息请用中文",
            "每次推送前必须先跑测试",
            "请始终使用中文回答问题。",
            "永远不要直接推送到主分支。",
            "以后请使用pnpm安装依赖。",
            "以后提交信息都用英文",
            "以后不要直接推送到 main",
            "从现在开始，请用 pnpm 而不是 npm",
            "今后請使用繁體中文提交訊息，分支也一樣",
            "提交前务必运行测试",
            "每次提交前都要跑一遍 lint",
            "提交信息请一律使用英文",
        ],
        &[
            "提交按钮请始终显示在底部",
            "用户提交前必须登录",
            "表单提交时必须校验字段",
            "每次测试前都要登录太麻烦了",
            "请每次点击都推送一条消息",
            "合并单元格时必须保留值",
            "它总是在第二次失败。",
            "这次请始终使用旧的接口。",
            "登录以后请求返回500错误。",
            "以后请求都会返回500状态码。",
            "升级以后使用pnpm会报错。",
            "使用缓存时总是失败。",
            "始终使用旧的缓存，刷新也没用。",
            "以后不要再这样做了，谢谢。",
            "以后再说，先提交代码吧",
            "以后会支持多个分支的",
            "以后要加上缓存和测试",
            "请提交代码并推送到分支",
            "务必提交代码",
            "请运行测试",
            "每次提交都要等很久",
            "每次测试都失败了",
            "按钮请始终显示在右边",
            "以后还需要推送到 main 吗？",
            "页面上写“永远不要直接推送到主分支”",
            "提交以后请求超时，帮我看看",
            "为什么永远不要直接推送到主分支",
            "以后提交信息都用英文吗",
            "以后的版本会使用新的依赖",
            "以后可能统一用 pnpm 管理依赖",
            "他说过永远不要直接推送到 main 分支",
            "提交之前我必须手动跑测试，太麻烦了",
            "在我回来之前绝对不要推送到 main 分支",
            "页面上写‘永远不要直接推送到主分支’",
            "《永远不要直接推送到主分支》写得不错，提交吧",
            "把 README 里的 `永远不要直接推送到主分支` 翻译成英文",
            "// 永远不要直接推送到 main 分支",
            "以后三天不要推送到 main",
            "以后端分支为准，请合并",
            "今后端和前端都用同一个分支",
            "以后别忘了提交",
            "那以后测试都使用真实数据库会不会太慢",
            "以后测试统一放哪里比较好",
            "听说以后，必须用英文提交，是真的吗",
            "合并前必须解决的测试有哪些",
            "部署时必须停机，测试人员很不满",
            "提交前必须登录，测试账号是 admin",
            "帮我看看提交前必须跑哪些测试",
            "上次部署前一定要合并的分支是哪个",
        ],
    );
}

#[test]
fn german() {
    check(
        &[
            "Bitte niemals Secrets committen.",
            "Führe vor jedem Push die Tests aus.",
            "Verwende immer pnpm für die Skripte.",
            "Bitte nie direkt auf main pushen.",
            "Bitte immer pnpm verwenden, nicht npm nutzen",
            "Antworte immer auf Deutsch!",
            "Ab jetzt verwende pnpm für alles.",
            "Ab sofort nutze bitte uv statt pip.",
            "Niemals direkt auf main pushen!",
            "Commits immer auf Englisch schreiben.",
            "Vor jedem Commit bitte die Tests ausführen.",
            "Künftig pnpm verwenden, nicht npm.",
        ],
        &[
            "Antworte immer mit 404, falls der Branch fehlt.",
            "Nutze immer den Cache, bitte, damit die Seite schnell lädt.",
            "Bitte immer die neueste Version im Branch anzeigen lassen.",
            "Vor jedem Test wird der Server neu gestartet.",
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
            "Diesmal immer pnpm verwenden.",
            "Warum muss ich immer npm verwenden?",
            "Der Server soll immer auf den Branch pushen",
            "Bitte erstmal nicht auf main pushen.",
            "Zeig den Button immer oben rechts an.",
            "Logs immer in die Datei schreiben",
            "Vor jedem Commit stürzt der Hook ab.",
            "Weil Tests immer parallel laufen, gibt es Konflikte in der Datenbank.",
            "Obwohl Tests nie auf main laufen, ist die CI rot.",
            "Wieso Tests immer doppelt laufen",
            "Weil wir die Commits immer auf Englisch schreiben",
            "Verwende immer pnpm und kriege Konflikte im Lockfile.",
            "Antworte immer mit 404 auf /api/users.",
            "Führe bei jedem Commit im Branch die Tests aus und sag, welcher kaputt ist.",
            "Ab jetzt laufen die Tests.",
            "Ab sofort schreiben die Tests in main.",
            "In Zukunft verwenden die Tests pnpm.",
            "In Zukunft nutzen Kunden den main Branch.",
            "Künftig laufen Tests auf GitHub.",
            "Vor jedem Test nutze die Fixture db_clean",
            "„Niemals direkt auf main pushen“ steht im README, übersetze das.",
            "Immer pnpm verwenden is the German text of the test",
            "Translate to German - Bitte niemals Secrets committen",
        ],
    );
}

#[test]
fn french() {
    check(
        &[
            "Ne commite jamais le fichier .env.",
            "N'utilisez jamais npm dans ce dépôt.",
            "S'il te plaît, utilise toujours pnpm.",
            "Désormais, répondez en français.",
            "Ne jamais pousser sur main.",
            "Ne pousse jamais directement sur main.",
            "Toujours lancer les tests avec pnpm.",
            "Avant chaque commit, lance les tests.",
            "À partir de maintenant, utilise uv pour tout.",
        ],
        &[
            "Répondez toujours 404 si la branche manque.",
            "Lance les tests, ils échouent à chaque commit.",
            "Utilisez le nouveau client, l'ancien ne répond jamais.",
            "Il échoue toujours au deuxième essai.",
            "Toujours notre problème de cache.",
            "Désormais la page ne se charge plus.",
            "Demande toujours le mot de passe après la connexion.",
            "N'utilise jamais le cache, même activé.",
            "Ajoutez toujours un bouton de retour à la page.",
            "Il n'utilise jamais npm dans le script.",
            "Cette fois, utilise toujours pnpm s'il te plaît.",
            "Pour l'instant, ne jamais pousser sur main.",
            "Les tests échouent toujours sur main.",
            "Est-ce qu'on utilise toujours npm ?",
            "Toujours afficher le menu à gauche.",
            "Désormais le commit échoue à chaque fois.",
            "Utilise toujours npm malgré la config.",
            "Avant chaque commit le hook plante.",
            "Vous utilisez toujours npm dans le script de déploiement.",
            "Il pousse toujours sur main, je ne sais pas pourquoi.",
            "Toujours répondre 404 sur /api/users.",
            "À partir de maintenant utilise pnpm jusqu'à vendredi.",
            "Le README dit : ne jamais pousser sur main",
            "« Ne jamais pousser sur main » est le titre de la page",
            "Toujours utiliser npm me semble lourd pour les tests.",
            "Ne jamais pousser sur main me bloque, trouve une solution.",
            "Jamais utiliser npm ne m'a plu pour les tests",
            "Utilisez chaque branche, et à chaque commit lancez le profil",
            "Lancez les tests à chaque commit entre v1 et v2 pour trouver la régression",
        ],
    );
}

#[test]
fn spanish() {
    check(
        &[
            "Ejecuta siempre los tests antes de cada push.",
            "No uses nunca npm en el servidor.",
            "Por favor, usa siempre pnpm en este repositorio.",
            "De ahora en adelante usa pnpm para los scripts.",
            "Nunca subas nada directamente a main.",
            "Siempre usar uv, no pip.",
            "Antes de cada commit, ejecuta los tests.",
            "A partir de ahora, escribe los commits en inglés.",
        ],
        &[
            "Nunca hacer click en el botón de commit rompe la página.",
            "Siempre que hago commit se rompe main.",
            "Por favor responde, siempre sale el mismo aviso.",
            "Por favor ejecuta los tests, siempre fallan.",
            "Siempre falla en el segundo intento.",
            "Usa siempre el puerto 3000 aunque cambie la configuración.",
            "Responde siempre con un 500 al segundo intento.",
            "A partir de ahora el test falla siempre.",
            "Haz siempre visible el botón de guardar.",
            "Esta vez usa pnpm, por favor.",
            "Siempre usa npm cuando hago un commit.",
            "Nunca había visto la rama main así.",
            "¿Siempre usamos pnpm para los tests?",
            "Por favor, sube los cambios a main.",
            "Por ahora, nunca subas nada a main.",
            "El commit siempre falla en la rama.",
            "Nunca uses este botón en la página.",
            "Siempre use npm y nunca tuve problemas.",
            "Ejecuta los tests en cada commit de la rama y dime cuál rompe el build.",
            "Siempre hacer push a main me pide la clave.",
            "A partir de ahora no uses npm hasta el viernes.",
            "Siempre responder con JSON en /api/orders.",
            "Siempre usar docker para levantar postgres me come la RAM",
            "Nunca usar git me parece raro",
            "Siempre correr los tests tarda 20 minutos",
            "en cada rama ejecuta el lint y manda el resultado",
            "‘Nunca subas nada a main’ aparece en la consola del test",
            "# Siempre usar pnpm para los tests",
        ],
    );
}

#[test]
fn portuguese() {
    check(
        &[
            "Nunca use npm, sempre pnpm.",
            "Sempre use pnpm neste repositório.",
            "Nunca faça commit direto na main.",
            "A partir de agora, escreva os commits em inglês.",
            "Daqui pra frente use uv, não pip.",
            "Nunca commitar direto na main.",
            "Antes de cada commit, rode os testes.",
            "Rode os testes antes de cada commit.",
        ],
        &[
            "Use sempre a cor azul no botão de commit.",
            "Faça commit a cada etapa do plano.",
            "Nunca use a tabela antiga nesta tela.",
            "Faça sempre o botão visível na tela.",
            "Sempre usa o cache antigo depois do login.",
            "A partir de agora o teste falha sempre.",
            "Desta vez use pnpm, por favor.",
            "Verifique as issues e faça as correções, sempre utilizando a skill para as views",
            "Na aba deve ter o visual da imagem, lembrando de sempre seguir o padrão do design system",
            "Esse treino sempre vai mudar todos os dias",
            "Sempre se atente aos estados vazios e às ações dos botões.",
            "Ele está lendo sempre em inglês, mas o padrão é pt-BR",
            "Isso não deve ficar exposto jamais, pode remover",
            "Faça o commit separado de cada uma das tasks e depois crie o PR",
            "O commit nunca passa na main.",
            "Sempre usamos pnpm para os testes?",
            "Por enquanto nunca faça commit na main.",
            "Rode os testes para cada commit da lista e me diga qual quebrou.",
            "A partir de agora use pnpm até sexta-feira.",
            "Sempre responder com o branch atual no endpoint /status",
            "Nunca rodar os testes foi o motivo do bug em produção",
            "Sempre rodar os testes demora 20 minutos na minha máquina",
            "Antes de cada deploy o script faz push no main",
            "Antes de cada commit, usa o hook antigo que quebra tudo",
            "Use em cada test o novo factory",
            "Rode o script para cada branch remoto e apague os velhos",
            "Em cada branch rode o lint e me mande o resultado",
            "nunca use npm is what the toast says in Portuguese",
            "// nunca use npm aca, solo pnpm",
            "const msg = 'Nunca use npm, sempre pnpm'",
        ],
    );
}

#[test]
fn only_the_sentence_that_lays_it_down_is_kept() {
    assert_eq!(
        heard("ログイン画面を直して。今後はpnpmを使ってください。あとREADMEも更新して"),
        ["今後はpnpmを使ってください。"]
    );
    assert_eq!(
        heard("OK, merci !\nNe jamais pousser sur main.\nOn continue."),
        ["Ne jamais pousser sur main."]
    );
    assert_eq!(
        heard("彼はこう言った「困った。今後はpnpmを使ってください。終わり」"),
        Vec::<&str>::new()
    );
}

#[test]
fn a_summary_fits_in_any_script() {
    for rule in [
        "グローバル設定に、ブランチを切る際は必ずgit-wtでworktreeを作る形にするようにとの指示を追加してください",
        "今後、鬱蒼とした繁體の漢字ばかりの長文規約書草案改訂履歴管理台帳更新作業完了報告書提出を必ずコミットして",
        "앞으로는 커밋 메시지와 풀리퀘스트 제목과 브랜치 이름을 모두 영어로 작성하고 테스트를 꼭 돌려줘",
        "Künftig Abhängigkeitsaktualisierungen ausschließlich über Renovate-Zusammenführungsanfragen, niemals händisch, ausführen.",
    ] {
        let summary = word(rule).summary;
        assert!(tokens::count(&summary) <= SUMMARY_LIMIT, "{summary}");
        assert!(summary.starts_with("User's rule: "), "{summary}");
    }
}
