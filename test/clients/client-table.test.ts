import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { linesFor } from '../gateway/documented-clients.ts'
import { BY_REQUESTS, CLIENTS, IN_TEST_SDKS } from './client-table.ts'
import { LANGUAGES, programOf } from './languages.ts'
import { MCP_PROGRAMS, PUBLIC_SERVERS } from './mcp/mcp-programs.ts'

// Every client of docs/clients.md is exercised by a test, and every client that is exercised is on the page.

const PAGE = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'clients.md'), 'utf8')
const PROGRAMS = join(import.meta.dirname, 'programs')
/** What the programs of one language share. */
const SHARED = ['gatehouse.py']

describe('the table of docs/clients.md', () => {
  const rows = rowsOf(PAGE)

  test('has a program, or lines in test:sdks, for each of its rows, and a row for each of those', () => {
    const names = rows.map(([name = '']) => /^\[(.*)\]\(.*\)$/.exec(name)?.[1] ?? name)
    assert.deepEqual(names.sort(), [...IN_TEST_SDKS, ...BY_REQUESTS, ...CLIENTS.map(({ name }) => name)].sort())
  })

  test('says of each client what to set and what works', () => {
    for (const cells of rows) {
      assert.equal(cells.length, 3, cells.join())
      assert.ok(
        cells.every((cell) => cell !== ''),
        cells.join(),
      )
    }
  })

  test('links to the sections with the lines of a client', () => {
    for (const name of [...IN_TEST_SDKS, ...BY_REQUESTS]) assert.ok(linesFor(name).length > 0)
    for (const { name } of CLIENTS.filter(({ language }) => language === 'npm')) assert.ok(linesFor(name).length > 0)
  })
})

test('the table of MCP has a row for each server and program that is tried', () => {
  const [, table = ''] = /^\| server or program \| what is tried \|\n\|[-|]+\n((?:\|.*\n)+)/m.exec(PAGE) ?? []
  const names = [...table.matchAll(/^\| ([^:|(]+?)(?:: | \(| \|)/gm)].map(([, name]) => name)
  assert.deepEqual(
    names,
    [...PUBLIC_SERVERS, ...MCP_PROGRAMS].map(({ name }) => name),
  )
})

describe('the programs', () => {
  test('are there, have a version and have to print something', () => {
    for (const client of CLIENTS) {
      assert.ok(existsSync(programOf(client)), client.program)
      assert.ok(client.prints.length > 0)
      for (const name of client.packages) assert.match(name, /[@:=]v?\d/, `${client.name}: ${name} has no version`)
    }
  })

  test('are all in the table', () => {
    const files = Object.keys(LANGUAGES).flatMap((language) => readdirSync(join(PROGRAMS, language)))
    const known = [...CLIENTS.map(({ program }) => program), ...SHARED]
    assert.deepEqual(files.filter((file) => !file.startsWith('__')).sort(), known.sort())
  })
})

function rowsOf(page: string): string[][] {
  const [, table = ''] = /^\| client \| what to set \| what works \|\n\|[-|]+\n((?:\|.*\n)+)/m.exec(page) ?? []
  return table
    .trimEnd()
    .split('\n')
    .map((row) =>
      row
        .slice(1, -1)
        .split(' | ')
        .map((cell) => cell.trim()),
    )
}
