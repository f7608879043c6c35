import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

// A guard helps only if nothing bypasses it. Sockets are opened in four places: here, in the clients for the providers and the
// collector that an operator has configured, in the driver of the operator's database, and for a database that an operator imports from.

const SRC = join(import.meta.dirname, '..', '..', '..')

const OPENERS = [
  /\b(?:from|import|require|getBuiltinModule)\s*\(?\s*['"](?:node:)?(?:net|tls|https?|http2|dgram|dns(?:\/promises)?|undici)['"]/,
  /\b(?:from|import|require)\s*\(?\s*['"](?:axios|got|ws|node-fetch|cross-fetch|superagent|request|undici\/.*)['"]/,
  /(?<![.\w])(?:globalThis\.)?fetch\s*\(/,
  /\bglobalThis\s*(?:\.|\[['"])fetch\b/,
  /\bnew\s+(?:WebSocket|EventSource|XMLHttpRequest)\b/,
  /\bfrom\s+['"]pg['"]/,
]

/** Imports that open no sockets: types, a list of status texts, and the text of an address. */
const HARMLESS =
  /^import (?:type .*|\{ SocketAddress \}) from 'node:[a-z0-9]+'$|\bimport\('node:[a-z0-9]+'\)\.[A-Z]\w*|^const \{ STATUS_CODES \} = .*$/gm

/**
 * `text-requests.ts` is for commands, which ask the gateway that a person has named. Those in `http/` answer requests for a WebSocket, and
 * speak HTTP on connections inside of the process, which connectLocally() makes of two streams. parse-address.ts only asks whether a text is an address;
 * `tls/` and two files open and close ports of our own.
 */
const MAY_OPEN =
  /^(?:platform\/net\/(?:egress\/|tls\/|(?:free-port|text-requests|stop-listening|addresses\/parse-address|http1\/dialer|http2\/http2-client)\.ts$)|http\/(?:local\/ask-locally|websocket\/(?:response-socket|upgrade-requests)|routes\/responses\/socket)\.ts$|platform\/store\/postgres|cli\/import\/litellm\/database\/read-tables\.ts$)/

test('no file outside of net opens a socket, and inside of it only the guard and the client of the providers', () => {
  const files = globSync('**/*.ts', { cwd: SRC }).filter((path) => !/\.test\.ts$|(?:^|\/)fixtures\//.test(path))
  assert.ok(files.length > 50)
  const openers = files.filter((path) => opensSockets(readFileSync(join(SRC, path), 'utf8')))
  assert.deepEqual(
    openers.filter((path) => !MAY_OPEN.test(path)),
    [],
  )
  assert.ok(
    openers.includes('platform/net/http1/dialer.ts') && openers.includes('platform/net/egress/pinned-connect.ts'),
  )
})

test('inside the guard, one file dials and one file resolves', () => {
  const files = globSync('*.ts', { cwd: import.meta.dirname }).filter((path) => !path.endsWith('.test.ts'))
  const having = (word: RegExp) =>
    files.filter((path) => word.test(readFileSync(join(import.meta.dirname, path), 'utf8')))
  assert.deepEqual(having(/\bconnect as\b|\bnew Socket\b|\bcreateConnection\b/), ['pinned-connect.ts'])
  assert.deepEqual(having(/node:dns/), ['resolve-name.ts'])
  assert.deepEqual(having(/import\('undici'\)|^import \{[^}]*\} from 'undici'/m), ['exchange.ts'])
})

test('what the HTTP group asks stays inside of the process', () => {
  const asking = ['http/local/ask-locally.ts', 'http/websocket/response-socket.ts']
  for (const path of asking) {
    const text = readFileSync(join(SRC, path), 'utf8')
    const requests = text.match(/\bhttpRequest\(\{[^}]*\}\)/g) ?? []
    assert.equal(requests.length, 1, path)
    assert.match(text, /const connection = connectLocally\(/, path)
    assert.match(requests[0]!, /createConnection: \(\) => connection\b/, path)
  }
})

test('the search finds what it is for', () => {
  const bad = [
    "import { connect } from 'node:net'",
    "import http from 'http'",
    "import { get } from 'node:https'",
    "const tls = await import('node:tls')",
    "process.getBuiltinModule('node:dgram')",
    'const { request } = require("undici")',
    "await fetch('https://example.org')",
    "await globalThis.fetch('https://example.org')",
    "globalThis['fetch']('https://example.org')",
    'const call = globalThis.fetch',
    "new WebSocket('wss://example.org')",
    "import axios from 'axios'",
    "const { Client } = await import('undici')",
    'require("undici/lib/dispatcher/client.js")',
  ]
  for (const line of bad) assert.ok(opensSockets(line), line)
  const good = [
    "import type { Socket } from 'node:net'",
    "const { STATUS_CODES } = process.getBuiltinModule('node:http')",
    'egress.fetch(request)',
  ]
  for (const line of [...good, '// never fetch() here', 'prefetch(x)']) assert.ok(!opensSockets(line), line)
})

function opensSockets(text: string): boolean {
  const code = text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '')
  return OPENERS.some((opener) => opener.test(code.replace(HARMLESS, '')))
}
