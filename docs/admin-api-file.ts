import { globSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { ADMIN_ROUTES } from '../src/http/routes/admin-routes.ts'
import type { Route } from '../src/http/route.ts'
import type { TSchema } from '../src/base/schema/type.ts'

const ROOT = join(import.meta.dirname, '..')
/** Beside the admin API itself, what the page for signing in asks. */
const IS_ASKED = /^\/(admin|sign-in\/providers)\b/

type Named = { name: string; file: string }

/** console/api/admin-api.ts: the types of the contract, by the method and the path of the routes that use them. */
export async function adminApiFile(): Promise<string> {
  const names = await exportsOfContract()
  const used = new Map<string, Set<string>>()
  const nameOf = (schema: TSchema | undefined, { method, path }: Route): string => {
    if (!schema) return 'undefined'
    const found = names.get(schema)
    if (!found) throw new Error(`the contract exports no schema of a body of ${method} ${path}`)
    used.set(found.file, (used.get(found.file) ?? new Set()).add(found.name))
    return found.name
  }
  const lines = ADMIN_ROUTES.filter(({ path }) => IS_ASKED.test(path)).map((route) => {
    const types = [`query: ${queryNames(route)}`, `body: ${nameOf(route.body, route)}`]
    return `  '${route.method} ${route.path}': { ${[...types, `reply: ${nameOf(replyOf(route), route)}`].join('; ')} }`
  })
  const imports = [...used].sort().map(([file, found]) => {
    return `import type { ${[...found].sort().join(', ')} } from '../../${file}'`
  })
  return `// Written by \`npm run docs\`, from the routes of the admin listener.\n\n${imports.join('\n')}\n
/** What the console may ask: the names of the query, the body of the request, and the body of the answer. */
${'export'} type AdminApi = {\n${lines.join('\n')}\n}\n`
}

async function exportsOfContract(): Promise<Map<unknown, Named>> {
  const files = globSync('src/contract/**/*.ts', { cwd: ROOT }).filter((file) => !file.endsWith('.test.ts'))
  const found = new Map<unknown, Named>()
  for (const file of files.sort()) {
    const module = (await import(pathToFileURL(join(ROOT, file)).href)) as Record<string, unknown>
    for (const [name, value] of Object.entries(module))
      if (typeof value === 'object' && !found.has(value)) found.set(value, { name, file })
  }
  return found
}

function queryNames({ query }: Route): string {
  const names = Object.keys(query?.properties ?? {})
  return names.length === 0 ? 'never' : names.map((name) => `'${name}'`).join(' | ')
}

/** Undefined for a body that is not JSON. */
function replyOf({ replies }: Route): TSchema | undefined {
  const reply = replies[200] ?? replies[201] ?? replies[202]
  return reply?.contentType ? undefined : reply?.schema
}
