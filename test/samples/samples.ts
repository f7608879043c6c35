import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { OpenApiDocument } from '../../src/contract/openapi/document.ts'
import { run } from '../clients/run.ts'
import { sandboxKey } from '../clients/sandbox-key.ts'
import { ADMIN_KEY, type GatewayUnderTest, startGateway } from '../gateway/gateway-under-test.ts'
import { casesOf } from './cases.ts'
import { type Language, type Program, playgroundPrograms, programsOf, RUN } from './programs.ts'

// `npm run samples [words]`: runs every program that `/docs` and the playground print, in curl, TypeScript, Python, Go
// and Java, with and without the SDKs, as it is printed. Calls are simulated. With words, only the programs whose title has them are run.

const ROOT = join(import.meta.dirname, '..', '..')
const PACKAGES = 'requests==2.34.2 openai==3.49.0 anthropic==2.8.0 google-genai==3.1.0'
const SHOWN_CHARS = 1_500
/** `curl --fail-with-body` after a status that is an error: here, ids of examples do not exist. */
const CURL_SAYS_STATUS = 22
/** Of a JSON answer, of a Python dict, and of a stream. */
const ERROR = /["']error["']: ?\{|event: error/
/** Ids of examples do not exist, and one operation only says that there is none. */
const EXPECTED_ERROR = /not_found|not_implemented/

/** What a language needs beside what is here anyway. */
const NEEDS: Partial<Record<Language, { install: string; what: string }>> = {
  Python: { install: `python3 -m venv env && env/bin/pip -q install ${PACKAGES}`, what: 'its packages' },
  Go: { install: 'go version', what: 'go' },
  // Programs of one file run without a compiler from Java 11 on, and the samples have texts of several lines, from Java 15 on.
  Java: { install: 'java --source 17 --version', what: 'java 17 or newer' },
}

const wanted = process.argv.slice(2).join(' ')
// Inside of the project, so that Node finds the SDKs.
const folder = await mkdtemp(join(ROOT, 'node_modules', '.samples-'))
const gateway = await startGateway()
try {
  process.exitCode = (await tryAll(await languagesHere())) ? 0 : 1
} finally {
  await gateway.close()
  await rm(folder, { recursive: true, force: true })
}

async function tryAll(languages: readonly Language[]): Promise<boolean> {
  const env = { GATEHOUSE_API_KEY: await sandboxKey(gateway), GATEHOUSE_ADMIN_KEY: ADMIN_KEY }
  for (const file of ['image.png', 'file.bin']) await copyFile(join(ROOT, 'docs/scanned-page.png'), join(folder, file))
  const programs = (await allPrograms(gateway)).filter(({ title }) => title.includes(wanted))
  const [counts, failures] = [new Map<Language, number>(), [] as string[]]
  for (const program of programs.filter(({ language }) => languages.includes(language))) {
    const problem = await tryProgram(program, env)
    counts.set(program.language, (counts.get(program.language) ?? 0) + 1)
    if (!problem) continue
    failures.push(program.title)
    console.log(`FAILED ${program.language}, ${program.title}: ${problem}\n${program.text}\n`)
  }
  for (const [language, count] of counts) console.log(`${language}: ${count} programs were run`)
  console.log(`${failures.length} of them failed`)
  return failures.length === 0 && counts.size > 0
}

/** Says what is skipped. */
async function languagesHere(): Promise<Language[]> {
  const found: Language[] = []
  for (const language of Object.keys(RUN) as Language[]) {
    const needed = NEEDS[language]
    const tried = needed && (await run(needed.install, folder, {}))
    if (!tried || tried.code === 0) found.push(language)
    else console.log(`skipped: ${language}, because there is no ${needed.what}\n${tried.output.slice(-SHOWN_CHARS)}`)
  }
  return found
}

async function allPrograms({ url, adminUrl }: GatewayUnderTest): Promise<Program[]> {
  const listeners = [
    { document: await documentAt(url), base: url, isAdmin: false },
    { document: await documentAt(adminUrl), base: adminUrl, isAdmin: true },
  ]
  const cases = listeners.flatMap(casesOf)
  return [...cases.flatMap(({ title, request }) => programsOf(title, request)), ...playgroundPrograms(url)]
}

async function documentAt(base: string): Promise<OpenApiDocument> {
  return (await (await fetch(`${base}/openapi.json`)).json()) as OpenApiDocument
}

/** Returns what is wrong. */
async function tryProgram({ language, text }: Program, env: Record<string, string>): Promise<string | undefined> {
  const { file, write, command } = RUN[language]
  await writeFile(join(folder, file), write(text))
  const { code, output } = await run(command, folder, env)
  if (code !== 0 && !(language === 'curl' && code === CURL_SAYS_STATUS))
    return `exit code ${code}\n${output.slice(-SHOWN_CHARS)}`
  if (ERROR.test(output) && !EXPECTED_ERROR.test(output)) return `an error\n${output.slice(0, SHOWN_CHARS)}`
  return undefined
}
