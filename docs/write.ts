import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { governedPage } from './governed-page.ts'
import { tasksPage } from './tasks-page.ts'

// npm run docs

await writeFile(join(import.meta.dirname, 'tasks.md'), await tasksPage())
await writeFile(join(import.meta.dirname, 'governed-fields.md'), governedPage())
