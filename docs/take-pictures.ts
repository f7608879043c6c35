import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import sharp from 'sharp'
import { KB } from '../src/base/units/units.ts'
import { OWNER } from '../src/cli/demo/demo.ts'
import { DEMO_PASSWORD } from '../src/cli/demo/people.ts'
import { chromiumPath } from '../test/console/chromium.ts'
import { gatehouse, startReadyProcess } from '../test/gateway/gateway-process.ts'

// `npm run pictures`: takes the pictures of the README. A gateway serves the data of `gatehouse demo`, and Chromium opens the
// overview of the console, in the light and in the dark theme.

const SIZE = { width: 1280, height: 800 }
const MAX_BYTES = 200 * KB
const WAIT_MS = 240_000

if (!chromiumPath) throw new Error('There is no Chromium. Name one with CHROMIUM.')
const folder = await mkdtemp(join(tmpdir(), 'gatehouse-pictures-'))
const DATA_DIR = join(folder, 'demo')
const filled = await gatehouse(['demo'], { DATA_DIR })
if (filled.code !== 0) throw new Error(filled.stderr)
const gateway = await startReadyProcess({ DATA_DIR })
const browser = await chromium.launch({ executablePath: chromiumPath, args: ['--no-sandbox'] })
try {
  for (const scheme of ['light', 'dark'] as const) await take(scheme)
} finally {
  await browser.close()
  await gateway.stop()
  await rm(folder, { recursive: true })
}

async function take(colorScheme: 'light' | 'dark'): Promise<void> {
  const options = {
    viewport: SIZE,
    deviceScaleFactor: 2,
    locale: 'en-US',
    timezoneId: 'UTC',
    reducedMotion: 'reduce',
  } as const
  const context = await browser.newContext({ ...options, colorScheme })
  const data = { email: OWNER, password: DEMO_PASSWORD }
  const session = await context.request.post(`${gateway.adminUrl}/admin/sessions`, { data, timeout: WAIT_MS })
  if (session.status() !== 201) throw new Error(`The sign-in answered ${session.status()}.`)
  const page = await context.newPage()
  page.setDefaultTimeout(WAIT_MS)
  await page.goto(`${gateway.adminUrl}/`)
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.waitForLoadState('networkidle')
  const file = join(import.meta.dirname, `console-${colorScheme}.webp`)
  const bytes = await sharp(await page.screenshot())
    .webp({ quality: 82, effort: 6 })
    .toBuffer()
  if (bytes.length > MAX_BYTES) throw new Error(`${file} would have ${bytes.length} bytes; ${MAX_BYTES} are allowed.`)
  await writeFile(file, bytes)
  console.log(`${file}: ${Math.round(bytes.length / KB)} KB`)
}
