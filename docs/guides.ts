import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { GuideSource } from '../console/docs/read/guides.ts'
import { litellmPage } from './litellm-page.ts'
import { tasksPage } from './tasks-page.ts'

/** References that are too long to be read as files. They are on the docs page and on the site only. */
const GENERATED = [
  { id: 'tasks', group: 'Use the API', title: 'Tasks', write: tasksPage },
  { id: 'litellm-fields', group: 'Start', title: 'Fields of LiteLLM’s config.yaml', write: litellmPage },
]

/** All pages in the order of docs/README.md, which names their groups and titles; what is written from the code ends its group. */
export async function guidePages(): Promise<GuideSource[]> {
  const listed = await Promise.all((await indexOf()).map(fromFile))
  const written = await Promise.all(GENERATED.map(async ({ write, ...page }) => ({ ...page, text: await write() })))
  const groups = [...new Set(listed.map(({ group }) => group))]
  return groups.flatMap((group) => [...listed, ...written].filter((page) => page.group === group))
}

type Listed = { id: string; group: string; title: string }

async function indexOf(): Promise<Listed[]> {
  const [, ...groups] = (await readPage('README')).split(/^## /m)
  return groups.flatMap((section) => {
    const group = section.slice(0, section.indexOf('\n'))
    const links = section.matchAll(/^- \[(.+?)\]\(([\w-]+)\.md\)/gm)
    return [...links].map(([, title, id]) => ({ id: id!, group, title: title!.replaceAll('`', '') }))
  })
}

async function fromFile(page: Listed): Promise<GuideSource> {
  return { ...page, text: await readPage(page.id) }
}

function readPage(id: string): Promise<string> {
  return readFile(join(import.meta.dirname, `${id}.md`), 'utf8')
}
