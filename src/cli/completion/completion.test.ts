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

const missing = (shell: string) => spawnSync(shell, ['-c', 'true']).error !== undefined && `${shell} is not installed`

for (const shell of ['zsh', 'fish'] as const)
  test(`${shell} reads its script`, { skip: missing(shell) }, () => {
    const { status, stderr } = spawnSync(shell, ['-n', files[shell]], { encoding: 'utf8' })
    assert.deepEqual([status, stderr], [0, ''])
  })

/** What fish offers behind `gatehouse` for each of these beginnings. */
function inFish(typed: readonly string[]): string[][] {
  const ask = typed.map((one) => `complete -C 'gatehouse ${one}'; echo END`)
  const script = [`source ${files.fish}`, ...ask].join('\n')
  const { stdout, stderr } = spawnSync('fish', ['-N', '-c', script], { cwd: folder, encoding: 'utf8' })
  assert.equal(stderr, '')
  return offersIn(stdout, (line) => line.split('\t')[0]!.replace(/\/$/, ''))
}

/**
 * Types each beginning into an interactive zsh on a terminal of its own, presses Tab, and prints what zsh offers. The wrapper of
 * `compadd` leaves calls alone in which zsh only asks itself what would match.
 */
const TYPE_IN_ZSH = `zmodload zsh/zpty
zpty inner zsh -f -i
zpty -w inner "PS1= PS2= LISTMAX=1000; autoload -Uz compinit; compinit -u -D; source \${(q)1}; out=\${(q)2}"
zpty -w inner 'compadd() {
  local -a hits
  [[ " $* " == *" -"[OAD]" "* ]] || { builtin compadd -A hits "$@"; print -rl -- $hits >> $out }
  builtin compadd "$@"
}'
zpty -w inner 'finished() { print -r -- END >> $out; comppostfuncs=(finished) }; comppostfuncs=(finished)'
zpty -w inner 'setopt no_always_last_prompt; bindkey "^I" complete-word; print READ""Y'
while zpty -r inner line; do [[ $line == *READY* ]] && break; done
out=$2
shift 2
for ((at = 1; at <= $#; at++)); do
  zpty -w -n inner $'\x15'"gatehouse \${@[at]}"$'\t'
  for ((tries = 0; tries < 1000; tries++)); do
    [[ "$(grep -sc END $out)" == $at ]] && break
    sleep 0.02
  done
done
zpty -d inner
cat $out`

function inZsh(typed: readonly string[]): string[][] {
  const words = ['-f', '-c', TYPE_IN_ZSH, 'zsh', files.zsh, join(folder, 'offered'), ...typed]
  const { stdout } = spawnSync('zsh', words, { cwd: folder, encoding: 'utf8', timeout: 120_000 })
  return offersIn(stdout, (line) => line.replaceAll('\\', ''))
}

/** A line for each word, and END behind the words of each beginning. */
function offersIn(printed: string, wordOf: (line: string) => string): string[][] {
  const blocks = printed.split(/^END\n/m).slice(0, -1)
  return blocks.map((block) => [...new Set(block.split('\n').filter(Boolean).map(wordOf))].sort())
}

/** What is typed behind `gatehouse`, and all that is offered. */
const OFFERED: readonly [typed: string, words: readonly string[]][] = [
  ['do', ['doctor']],
  ['keys r', ['revoke', 'rotate']],
  ['webhook-key ', ['ed25519', 'rotate']],
  ['serve --role ', ['all', 'api', 'worker']],
  ['serve --role w', ['worker']],
  ['keys create --al', ['--allow-ip']],
  ['completion ', ['bash', 'fish', 'zsh']],
  ['keys create --scope ch', ['chat']],
  ['keys create --name ', []],
  ['nonsense ', []],
  ['serve --data-dir some', ['some models']],
  ['serve --config some', ['some file.json', 'some models']],
  ['explain some', ['some file.json', 'some models']],
]

const FIRST_WORDS = [...new Set([...COMMAND_NAMES.map((name) => name.split(' ')[0]!), 'help'])].sort()
const ALL_OFFERED = [['', FIRST_WORDS] as const, ...OFFERED]

for (const [shell, offers] of Object.entries({ zsh: inZsh, fish: inFish }))
  test(`${shell} offers commands, options and values`, { skip: missing(shell) }, () => {
    const offered = offers(ALL_OFFERED.map(([typed]) => typed))
    assert.deepEqual(
      offered.map((words, at) => [ALL_OFFERED[at]?.[0], words]),
      ALL_OFFERED,
    )
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
