// What real tokenizers count in pieces of this repository, one line of JSON a piece.
//
//     npm install gpt-tokenizer llama3-tokenizer-js @anthropic-ai/tokenizer
//     node tools/tokens/count.mjs > crates/oldhand-domain/tests/tokens.jsonl
//
// With a file of its own lines ({"text", …}) as its argument it counts those instead, for tools/tokens/fit.py.

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

// Packages are looked for where the command is given.
const require = createRequire(pathToFileURL(`${process.cwd()}/`));
const o200k = require("gpt-tokenizer/encoding/o200k_base");
const cl100k = require("gpt-tokenizer/encoding/cl100k_base");
const claude = require("@anthropic-ai/tokenizer").getTokenizer();
const llama3 = (await import(pathToFileURL(require.resolve("llama3-tokenizer-js")))).default;

const git = (...words) => execFileSync("git", words, { encoding: "utf8", maxBuffer: 1 << 28 });
const files = git("ls-files").split("\n").filter(Boolean);
const PIECES = 12;
const LENGTH = 700;

/** `count` of `all`, evenly spread. */
const spread = (all, count) => all.filter((_, at) => Math.floor((at * count) / all.length) !== Math.floor(((at - 1) * count) / all.length));

/** From the middle of a file, whole lines. */
function cut(path) {
  const text = readFileSync(path, "utf8");
  const start = text.indexOf("\n", Math.max(0, text.length / 2 - LENGTH)) + 1;
  const end = text.indexOf("\n", start + LENGTH);
  return text.slice(start, end < 0 ? undefined : end);
}

const ofFiles = (kind, test) => spread(files.filter(test), PIECES).map((path) => ({ kind, text: cut(path) }));

/** `all`, some lines at a time. */
function together(kind, all, lines) {
  const pieces = [];
  for (let at = 0; at + lines <= all.length; at += lines) pieces.push({ kind, text: all.slice(at, at + lines).join("\n") });
  return spread(pieces, PIECES);
}

// Said for this file; developers write notes in many languages.
const LANGUAGES = {
  chinese: [
    "运行集成测试之前必须先执行数据库迁移，否则测试数据无法加载。",
    "我们决定不使用后台进程，因为短命令更容易理解，也不会泄漏内存。",
    "支付接口会重复发送通知，所以重试必须是幂等的。",
    "不要在事务里调用搜索服务，响应慢的时候会一直占用行锁。",
  ],
  japanese: [
    "統合テストを実行する前に、必ずデータベースのマイグレーションを行ってください。",
    "バックグラウンドプロセスは使わないことに決めました。短いコマンドの方が理解しやすいからです。",
    "決済ゲートウェイは通知を繰り返し送るため、再試行は冪等でなければなりません。",
    "設定ファイルは起動時に一度だけ読み込まれます。変更したら再起動が必要です。",
  ],
  korean: [
    "통합 테스트를 실행하기 전에 데이터베이스 마이그레이션을 먼저 실행해야 합니다.",
    "백그라운드 프로세스를 사용하지 않기로 결정했습니다. 짧은 명령이 더 이해하기 쉽기 때문입니다.",
    "결제 서버가 알림을 여러 번 보내므로 재시도는 멱등이어야 합니다.",
    "설정 파일은 시작할 때 한 번만 읽습니다. 변경하면 다시 시작해야 합니다.",
  ],
  russian: [
    "Перед запуском интеграционных тестов нужно выполнить миграции базы данных.",
    "Мы решили не использовать фоновый процесс: короткие команды проще понять.",
    "Повторные попытки оплаты должны быть идемпотентными, потому что шлюз повторяет уведомления.",
    "Файл настроек читается один раз при запуске, после изменения нужен перезапуск.",
  ],
  german: [
    "Vor den Integrationstests müssen die Migrationen der Datenbank laufen, sonst fehlen die Testdaten.",
    "Wir haben uns gegen einen Hintergrunddienst entschieden: kurze Befehle sind leichter zu verstehen.",
    "Wiederholte Zahlungen müssen idempotent sein, weil das Gateway Benachrichtigungen mehrfach schickt.",
    "Die Einstellungen werden beim Start einmal gelesen, nach einer Änderung ist ein Neustart nötig.",
  ],
  french: [
    "Il faut exécuter les migrations de la base avant les tests d'intégration, sinon les données manquent.",
    "Nous avons décidé de ne pas utiliser de processus en arrière-plan : des commandes courtes sont plus simples.",
    "Les nouvelles tentatives de paiement doivent être idempotentes, car la passerelle répète ses notifications.",
    "Le fichier de configuration est lu une seule fois au démarrage ; après un changement, il faut redémarrer.",
  ],
};

function ofThisRepository() {
  const ends = (ending) => (path) => path.endsWith(ending);
  const messages = git("log", "-n", "400", "--format=%s").split("\n").filter(Boolean);
  return [
    ...ofFiles("prose", (path) => path.endsWith(".md") && !path.includes("benchmarks")),
    ...ofFiles("tables", (path) => path.includes("docs/benchmarks/")),
    ...ofFiles("rust", (path) => path.endsWith(".rs") && path.includes("/src/")),
    ...ofFiles("python", ends(".py")),
    ...ofFiles("sql", ends(".sql")),
    ...ofFiles("toml", ends(".toml")),
    ...ofFiles("json", (path) => path.endsWith(".snap") && path.includes("as_json")),
    // Within their room: the name of this project is one that no vocabulary has, and is in every path.
    ...together("paths", files.filter((path) => !path.includes("snapshots")).map((path) => path.replace(/^crates\/[^/]*\//, "")), 8),
    ...together("messages", messages, 6),
    ...Object.entries(LANGUAGES).flatMap(([kind, texts]) => texts.map((text) => ({ kind, text }))),
  ].filter((piece) => piece.text.length > 20);
}

const asked = process.argv[2];
const pieces = asked ? readFileSync(asked, "utf8").split("\n").filter(Boolean).map((line) => JSON.parse(line)) : ofThisRepository();
const any = { disallowedSpecial: new Set() };
for (const piece of pieces) {
  const { text } = piece;
  const counted = {
    o200k: o200k.encode(text, any).length,
    cl100k: cl100k.encode(text, any).length,
    llama3: llama3.encode(text, { bos: false, eos: false }).length,
    claude: claude.encode(text.normalize("NFKC"), "all").length,
  };
  console.log(JSON.stringify({ ...piece, ...counted }));
}
