import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { tasksPage } from './tasks-page.ts'

// npm run docs

await writeFile(join(import.meta.dirname, 'tasks.md'), await tasksPage())
