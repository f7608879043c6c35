import assert from 'node:assert/strict'
import { loadConfig } from '../../../src/platform/config/config.ts'
import { ConfigError } from '../../../src/platform/config/config-error.ts'
import type { Finished } from '../../gateway/gateway-process.ts'

// Starting a process costs half a second, so each command runs once in a real process, and otherwise in this one.

export const WRONG_SETTINGS: [Record<string, string>, RegExp][] = [
  [{ PORT: 'canary' }, /^PORT: /],
  [{ PORT: '65536' }, /^PORT: /],
  [{ PORT: '80.5' }, /^PORT: /],
  [{ ADMIN_PORT: '-1' }, /^ADMIN_PORT: /],
  [{ WORKERS: 'canary' }, /^WORKERS: /],
  [{ WORKERS: '0' }, /^WORKERS: /],
  [{ REGION: 'canary' }, /^REGION: /],
  [{ LOG_LEVEL: 'canary' }, /^LOG_LEVEL: /],
  [{ BODY_LIMIT_MB: '0' }, /^BODY_LIMIT_MB: /],
  [{ DATABASE_URL: 'mysql://u:canary@127.0.0.1/x' }, /^DATABASE_URL: /],
  [{ DATABASE_URL: 'postgres://u:canary@127.0.0.1:99999/x' }, /^DATABASE_URL: /],
  [{ OPENAI_BASE_URL: 'ftp://canary' }, /^OPENAI_BASE_URL: /],
]

export const WRONG_FILES: [string, RegExp][] = [
  ['{"prot": 1}', /^prot: no such setting\. Did you mean port\? \(in \S+config\.json\)/],
  ['{"PORT": 1}', /^PORT: no such setting\. Did you mean port\?/],
  ['{"toString": 1}', /^toString: /],
  ['{"__proto__": {"port": 1}}', /^__proto__: /],
  ['{"port": "canary"}', /^port: /],
  ['{"port": null}', /^port: /],
  [
    '{"providers": {"fake": {"dialect": "openai", "baseUrl": "http://x", "baseURL": "y"}}}',
    /providers\.fake\.baseURL: Extra/,
  ],
  [
    '{"providers": {"fake": {"dialect": "openai", "baseUrl": "http://x", "auth": {"scheme": "none", "key": "canary"}}}}',
    /providers\.fake\.auth\.key: Extra/,
  ],
  ['{"providers": {"fake": {"dialect": "klingon", "baseUrl": "http://x"}}}', /providers\.fake\.dialect: /],
  ['{"providers": {"fake": {"dialect": "openai", "baseUrl": "nowhere"}}}', /providers\.fake\.baseUrl: /],
  ['{"providers": {"Fa ke": {"dialect": "openai", "baseUrl": "http://x"}}}', /providers\.Fa ke: /],
  ['{"providers": []}', /providers/],
  ['{"port": 1', /not valid JSON at line 1, column 11: the file ends before its last bracket/],
  ['[]', /JSON object/],
]

export const MISTYPED: [string[], RegExp][] = [
  [['nonsense'], /^There is no command 'nonsense'\. `gatehouse --help` lists all commands\./],
  [['serv'], /^There is no command 'serv'\. Did you mean gatehouse serve\?/],
  [['key'], /Did you mean gatehouse keys\?/],
  [['doc'], /Did you mean gatehouse doctor\?/],
  [['keys'], /^"gatehouse keys" needs one of these words: create, list, show, update, rotate, revoke\./],
  [['keys', '--json'], /needs one of these words/],
  [['keys', 'crate'], /^There is no command 'keys crate'\. Did you mean gatehouse keys create\?/],
  [['completion', 'fishh'], /^SHELL should be one of bash, zsh, fish\. Did you mean fish\?/],
  [['completion'], /^"gatehouse completion" needs SHELL\./],
  [['version', 'x'], /^"gatehouse version" does not take 'x'\./],
  [['webhook-key', 'rotat'], /does not take 'rotat'\. Did you mean gatehouse webhook-key rotate\?/],
  [
    ['serve', '--prot', '1'],
    /^"gatehouse serve" has no option --prot\. Did you mean --port\? See `gatehouse serve --help`\./,
  ],
  [['--prot', '1'], /Did you mean --port\?/],
  [['serve', '-p', '1'], /has no option -p\./],
  [['serve', '--port'], /^--port needs a value: --port PORT\./],
  [['serve', '--port', '--role', 'api'], /^--port needs a value/],
  [['serve', '--port='], /^--port needs a value/],
  [['serve', '--port', '1', '--port', '2'], /^--port may be given only once\./],
  [['serve', '--role', 'wroker'], /^--role must be one of all, api, worker\. Did you mean worker\?/],
  [['serve', 'now'], /^"gatehouse serve" does not take 'now'\./],
  [['doctor', '--providers=yes'], /^--providers takes no value\./],
  [['keys', 'rotate'], /^"gatehouse keys rotate" needs ID\./],
  [['backup', 'one', 'two'], /^"gatehouse backup" does not take 'two'\./],
  [
    ['serve', '--env-file', '/nothing/here'],
    /^\/nothing\/here: cannot be read \(ENOENT\)\. Check the path in --env-file\./,
  ],
  [
    ['serve', '--config', '/nothing/here.yaml'],
    /here\.yaml: cannot be read \(ENOENT\)\. Check the path in GATEHOUSE_CONFIG or --config/,
  ],
]

/** Asserts an error that a person can act on: exit 1, the reason on stderr, no stack. */
export function assertComplaint({ code, stdout, stderr }: Finished, words: RegExp): void {
  assert.equal(code, 1, stderr)
  assert.equal(stdout, '')
  assert.match(stderr, /^gatehouse: /)
  assert.match(stderr.slice('gatehouse: '.length), words)
  assert.doesNotMatch(stderr, /\n {4}at |node:internal/)
}

export function assertRefused(environment: Record<string, string>, words: RegExp): void {
  const isRight = (error: unknown) =>
    error instanceof ConfigError && words.test(error.message) && !/canary/.test(error.message)
  assert.throws(() => loadConfig(environment), isRight, `${words}`)
}
