import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { build } from 'esbuild'
import { type GuideSource, sectionsOf } from '../../console/docs/read/guides.ts'
import { type Block, parseMarkdown } from '../../console/docs/read/markdown.ts'
import { buildBundle } from '../../src/http/console/build-bundle.ts'
import { escapeHtml } from '../../src/http/console/page.ts'
import { docsText } from '../../src/http/docs/docs-text.ts'
import { openapiDocument } from '../../src/http/openapi/document.ts'
import { ADMIN_ROUTES } from '../../src/http/routes/admin-routes.ts'
import { API_ROUTES } from '../../src/http/routes/api-routes.ts'
import { guidePages } from '../guides.ts'
import { htmlOf } from './html.ts'
import { brokenLinks } from './links.ts'
import { brokenTargets } from './targets.ts'

// `npm run docs:site [folder]`: the guides and both APIs as pages that any web server can serve, or a browser can open from the
// disk. They need no gateway, and a script only for the search. Fails if a link leads nowhere.

const ROOT = join(import.meta.dirname, '..', '..')
const folder = process.argv[2] ?? join(ROOT, 'site')
const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as { version: string }

await rm(folder, { recursive: true, force: true })
await mkdir(folder, { recursive: true })
const pages = await sitePages()
const ids = new Set(pages.map(({ id }) => id))
for (const page of pages) await writeFile(join(folder, `${page.id}.html`), await pageHtml(page))
const style = (await buildBundle()).find(({ name }) => /^docs-.*\.css$/.test(name))!
await writeFile(join(folder, 'style.css'), style.bytes)
await writeFile(join(folder, 'search.js'), await searchScript())
await writeFile(join(folder, 'search-index.js'), `gatehouseSections=${JSON.stringify(pages.flatMap(sectionsOf))}`)

const broken = [...(await brokenLinks()), ...(await brokenTargets(folder))]
for (const link of broken) console.log(`WRONG   ${link}`)
console.log(`${folder} has ${pages.length} pages of version ${version}; ${broken.length} links lead nowhere.`)
process.exitCode = broken.length === 0 ? 0 : 1

async function sitePages(): Promise<GuideSource[]> {
  const index = await readFile(join(ROOT, 'docs', 'README.md'), 'utf8')
  const api = (id: string, title: string, routes: Parameters<typeof openapiDocument>[0], url: string) => ({
    id,
    title,
    group: 'API',
    text: docsText({ ...openapiDocument(routes), servers: [{ url }] }),
  })
  return [
    { id: 'index', title: 'Documentation', group: '', text: index },
    ...(await guidePages()),
    api('api', 'The API', API_ROUTES, 'http://127.0.0.1:8080'),
    api('admin-api', 'The admin API', ADMIN_ROUTES, 'http://127.0.0.1:8081'),
  ]
}

async function searchScript(): Promise<Uint8Array> {
  const { outputFiles } = await build({
    entryPoints: [join(ROOT, 'console', 'docs', 'site', 'search-box.ts')],
    write: false,
    bundle: true,
    minify: true,
    format: 'iife',
    target: 'es2023',
    logLevel: 'silent',
  })
  return outputFiles[0]!.contents
}

async function pageHtml(page: GuideSource): Promise<string> {
  const title = page.id === 'index' ? 'Gatehouse' : `${page.title} · Gatehouse`
  const blocks = parseMarkdown(page.text)
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title><link rel="stylesheet" href="style.css"><script src="search.js" defer></script></head>
<body><div class="docs site"><header class="docs-side"><div class="docs-top"><a class="brand" href="index.html">Gatehouse <small>${version}</small></a></div>
<div class="contents open"><nav aria-label="Pages">${navigation(page.id)}</nav></div></header>
<main id="main"><div class="guide"><article class="guide-text">
${htmlOf(blocks, siteLink)}
</article>${headings(blocks)}</div></main></div></body></html>
`
}

function navigation(here: string): string {
  const groups = Map.groupBy(pages, ({ group }) => group)
  return [...groups]
    .map(([group, within]) => {
      const links = within.map(
        ({ id, title }) =>
          `<li><a href="${id}.html"${id === here ? ' aria-current="page"' : ''}>${escapeHtml(title)}</a></li>`,
      )
      const list = `<ul class="side-guides">${links.join('')}</ul>`
      const isOpen = within.some(({ id }) => id === here) || here === 'index'
      return group === '' ? list : `<details${isOpen ? ' open' : ''}><summary>${group}</summary>${list}</details>`
    })
    .join('\n')
}

function headings(blocks: readonly Block[]): string {
  const found = blocks.filter((block) => block.kind === 'heading' && block.level === 2)
  const links = found.map((block) =>
    block.kind === 'heading'
      ? `<li>${htmlOf([{ kind: 'paragraph', inside: [{ href: `#${block.id}`, inside: block.inside }] }], siteLink)}</li>`
      : '',
  )
  return links.length < 2
    ? ''
    : `<nav class="guide-headings" aria-label="On this page"><p>On this page</p><ul>${links.join('')}</ul></nav>`
}

/** A file of the checkout is not on the site. */
function siteLink(href: string): string | undefined {
  if (/^https?:|^#/.test(href)) return href
  const [file = '', heading] = href.split('#')
  const id = /^([\w-]+)\.md$/.exec(file)?.[1]?.replace(/^README$/, 'index')
  if (id === undefined || !ids.has(id)) return undefined
  return `${id}.html${heading === undefined ? '' : `#${heading}`}`
}
