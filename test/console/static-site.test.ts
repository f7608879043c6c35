import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { chromium } from 'playwright-core'
import { chromiumPath } from './chromium.ts'

// What `npm run docs:site` writes, opened from the disk as a reader may do.

const ROOT = join(import.meta.dirname, '..', '..')
const skip = chromiumPath ? false : 'there is no Chromium; name one with CHROMIUM'

test('the static site has no broken link, names its version, and finds guides and operations', { skip }, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-site-'))
  const browser = await chromium.launch({ executablePath: chromiumPath!, args: ['--no-sandbox'] })
  try {
    const written = await promisify(execFile)(process.execPath, ['docs/site/write-site.ts', folder], { cwd: ROOT })
    assert.match(written.stdout, /; 0 links lead nowhere\./)
    const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as { version: string }
    const page = await browser.newPage()
    page.setDefaultTimeout(240_000)
    const faults: string[] = []
    page.on('pageerror', ({ message }) => faults.push(message))
    await page.goto(pathToFileURL(join(folder, 'index.html')).href)
    await page.getByText(`Gatehouse ${version}`).waitFor()

    await page.keyboard.press('/')
    await page.keyboard.type('several gateways')
    const found = page.locator('.found a')
    await found.filter({ hasText: 'Run several gateways' }).first().waitFor()
    assert.equal(await page.getByRole('navigation', { name: 'Pages' }).isVisible(), false)
    await page.keyboard.press('ArrowDown')
    assert.equal(await page.evaluate('document.activeElement.innerText'), await found.first().innerText())

    const box = page.getByLabel('Search the guides and the API')
    await box.fill('nonsense-that-is-nowhere')
    await page.getByText('No results for “nonsense-that-is-nowhere”').waitFor()
    await box.press('Escape')
    await page.getByRole('navigation', { name: 'Pages' }).waitFor()

    await box.fill('POST /v3/rerank')
    await found.first().waitFor()
    await box.press('Enter')
    await page.waitForURL(/\/api\.html#/)
    assert.deepEqual(faults, [])
  } finally {
    await browser.close()
    await rm(folder, { recursive: true })
  }
})
