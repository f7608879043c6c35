import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { COMMAND_NAMES, COMMANDS } from '../command-line/command-table.ts'
import { bashScript } from './bash.ts'
import { fishScript } from './fish.ts'
import { zshScript } from './zsh.ts'

// The scripts in the shells that they are for. bash is everywhere; zsh and fish only where they are installed.

const folder = await mkdtemp(join(tmpdir(), 'gatehouse-completion-'))
after(() => rm(folder, { recursive: true }))
const files = { bash: join(folder, 'c.bash'), zsh: join(folder, 'c.zsh'), fish: join(folder, 'c.fish') }
await writeFile(files.bash, bashScript())
await writeFile(files.zsh, zshScript())
await writeFile(files.fish, fishScript())
await mkdir(join(folder, 'some models'))
await writeFile(join(folder, 'some file.json'), '')

/** What bash offers for the last of these words. */
function inBash(...words: string[]): string[] {
  const script = `source ${files.bash}
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _gatehouse
printf '%s\\n' "\${COMPREPLY[@]}"`
  const { stdout, stderr, status } = spawnSync('bash', ['--norc', '-c', script, 'bash', 'gatehouse', ...words], {
    cwd: folder,
    encoding: 'utf8',
  })
  assert.deepEqual([status, stderr.replace(/.*compopt: .*\n/g, '')], [0, ''])
  return stdout.split('\n').filter(Boolean)
}

test('bash completes the words of commands', () => {
  const firsts = new Set(COMMAND_NAMES.map((name) => name.split(' ')[0]!))
  assert.deepEqual(new Set(inBash('')), new Set([...firsts, 'help', '--help', '--version']))
  assert.deepEqual(inBash('do'), ['doctor'])
  assert.deepEqual(inBash('keys', 'r'), ['rotate', 'revoke'])
  assert.ok(inBash('webhook-key', '').includes('rotate') && inBash('webhook-key', '').includes('--data-dir'))
})

test('bash completes every option of every command', () => {
  for (const name of COMMAND_NAMES) {
    const flags = [...Object.keys(COMMANDS[name].flags), 'help'].map((flag) => `--${flag}`)
    assert.deepEqual(new Set(inBash(...name.split(' '), '--')), new Set(flags), name)
  }
})

test('bash completes values: words, files and folders with spaces, and nothing that only a person knows', () => {
  assert.deepEqual(inBash('serve', '--role', 'w'), ['worker'])
  assert.deepEqual(inBash('keys', 'create', '--scope', 'ch'), ['chat'])
  assert.deepEqual(inBash('completion', ''), ['bash', 'zsh', 'fish', '--help'])
  assert.ok(inBash('serve', '--config', 'some').includes('some file.json'))
  assert.deepEqual(inBash('serve', '--data-dir', 'some'), ['some models'])
  assert.ok(inBash('explain', 'some').includes('some file.json'))
  assert.deepEqual(inBash('keys', 'create', '--name', ''), [])
  assert.deepEqual(inBash('nonsense', ''), [])
})

for (const shell of ['zsh', 'fish'] as const) {
  const isMissing = spawnSync(shell, ['-c', 'true']).error !== undefined
  test(`${shell} reads its script`, { skip: isMissing && `${shell} is not installed` }, () => {
    const { status, stderr } = spawnSync(shell, ['-n', files[shell]], { encoding: 'utf8' })
    assert.deepEqual([status, stderr], [0, ''])
  })
}

test('fish completes what bash does', {
  skip: spawnSync('fish', ['-c', 'true']).error && 'fish is not installed',
}, () => {
  const offered = (typed: string) =>
    spawnSync('fish', ['-N', '-c', `source ${files.fish}; complete -C "gatehouse ${typed}"`], { encoding: 'utf8' })
      .stdout.split('\n')
      .map((line) => line.split('\t')[0]!)
      .filter(Boolean)
  assert.deepEqual(offered('keys ro'), ['rotate'])
  assert.deepEqual(offered('serve --role w'), ['worker'])
  assert.ok(offered('keys create --al').includes('--allow-ip'))
})

test('the scripts of zsh and fish name every command and every option', () => {
  const [zsh, fish] = [zshScript().split('\n'), fishScript()]
  for (const name of COMMAND_NAMES)
    for (const flag of Object.keys(COMMANDS[name].flags)) {
      assert.ok(fish.includes(`-n '__gatehouse_is "${name}"' -l ${flag} `), `fish: ${name} --${flag}`)
      const line = zsh.find((one) => one.includes(`('${name}') items=('--`)) ?? ''
      assert.ok(line.includes(`'--${flag}:`), `zsh: ${name} --${flag}`)
    }
})
