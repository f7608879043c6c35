import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PAGES } from './pages.ts'

// npm run docs

for (const [name, page] of Object.entries(PAGES)) await writeFile(join(import.meta.dirname, name), await page())
