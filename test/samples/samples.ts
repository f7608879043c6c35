import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { LANGUAGES, type Language } from '../../console/parts/samples/samples.ts'
import type { OpenApiDocument } from '../../src/contract/openapi/document.ts'
import { run } from '../clients/run.ts'
import { sandboxKey } from '../clients/sandbox-key.ts'
import { ADMIN_KEY, type GatewayUnderTest, startGateway } from '../gateway/gateway-under-test.ts'
import { casesOf } from './cases.ts'
import { type Program, playgroundPrograms, programsOf, RUN } from './programs.ts'

// `npm run samples [words]`: runs every program that `/docs` and the playground print, in curl, TypeScript, Python, Go
// and Java, with and without the SDKs, as it is printed. Calls are simulated. With words, only the programs whose title has them are run.

const ROOT = join(import.meta.dirname, '..', '..')
const SHOWN_CHARS = 1_500
/** `curl --fail-with-body` after a status that is an error: here, ids of examples do not exist. */
const CURL_SAYS_STATUS = 22
/** Of a JSON answer, of a Python dict, and of a stream. */
const ERROR = /["']error["']: ?\{|event: error/
/** Ids of examples do not exist, and one operation only says that there is none. */
const EXPECTED_ERROR = /not_found|not_implemented/

type Result = { language: Language; run: number; failed: number; skipped: number }

const wanted = process.argv.slice(2).join(' ')
// Inside of the project, so that Node finds the SDKs.
const folder = await mkdtemp(join(ROOT, 'node_modules', '.samples-'))
const gateway = await startGateway()
try {
  process.exitCode = (await tryAll()) ? 0 : 1
} finally {
  await gateway.close()
  await rm(folder, { recursive: true, force: true })
}

async function tryAll(): Promise<boolean> {
  const env = { GATEHOUSE_API_KEY: await sandboxKey(gateway), GATEHOUSE_ADMIN_KEY: ADMIN_KEY }
  const programs = (await allPrograms(gateway)).filter(({ title }) => title.includes(wanted))
  const languages = (Object.keys(LANGUAGES) as Language[]).filter((one) => programs.some((p) => p.language === one))
  const results = await Promise.all(languages.map((language) => tryLanguage(language, programs, env)))
  for (const { language, run: count, failed, skipped } of results)
    console.log(`${LANGUAGES[language]}: ${count} programs were run, ${failed} failed, ${skipped} were skipped`)
  return results.every(({ failed }) => failed === 0) && results.some(({ run: count }) => count > 0)
}

/** Each language has a folder of its own, so that they can run beside each other. */
async function tryLanguage(language: Language, all: readonly Program[], env: Record<string, string>): Promise<Result> {
  const own = join(folder, language)
  await mkdir(own)
  for (const file of ['image.png', 'file.bin']) await copyFile(join(ROOT, 'docs/scanned-page.png'), join(own, file))
  const programs = all.filter((program) => program.language === language)
  const result = { language, run: 0, failed: 0, skipped: 0 }
  const canRun = await kindsHere(language, own)
  for (const program of programs) {
    if (!canRun(program)) {
      result.skipped++
      continue
    }
    const problem = await tryProgram(program, own, env)
    result.run++
    if (!problem) continue
    result.failed++
    console.log(`FAILED ${LANGUAGES[language]}, ${program.title}: ${problem}\n${program.text}\n`)
  }
  return result
}

/** Installs what the programs need, and says what is skipped. */
async function kindsHere(language: Language, own: string): Promise<(program: Program) => boolean> {
  const { needs, sdkNeeds } = RUN[language]
  const isHere = async (need: typeof needs, which: string) => {
    const tried = need && (await run(need.install, own, {}))
    if (!tried || tried.code === 0) return true
    console.log(`skipped: ${which}, because there is no ${need!.what}\n${tried.output.slice(-SHOWN_CHARS)}`)
    return false
  }
  const hasLanguage = await isHere(needs, LANGUAGES[language])
  const hasSdk = hasLanguage && (await isHere(sdkNeeds, `${LANGUAGES[language]} with SDKs`))
  return ({ needsSdk }) => (needsSdk ? hasSdk : hasLanguage)
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
async function tryProgram(
  { language, text }: Program,
  own: string,
  env: Record<string, string>,
): Promise<string | undefined> {
  const { file, write, command } = RUN[language]
  await writeFile(join(own, file), write(text))
  const { code, output } = await run(command, own, env)
  if (code !== 0 && !(language === 'curl' && code === CURL_SAYS_STATUS))
    return `exit code ${code}\n${output.slice(-SHOWN_CHARS)}`
  if (ERROR.test(output) && !EXPECTED_ERROR.test(output)) return `an error\n${output.slice(0, SHOWN_CHARS)}`
  return undefined
}
