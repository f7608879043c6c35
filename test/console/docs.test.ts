import assert from 'node:assert/strict'
import { packageVersion } from '../../src/platform/version.ts'
import { endShared } from './checked-page.ts'
import { docsTest, openOperation } from './docs-pages.ts'
import { HOSTILE } from './seed.ts'

endShared()

docsTest('the first page has the first call, and leads to everything', async ({ page, base }) => {
  await page.goto(`${base}/docs`)
  await page.getByRole('heading', { level: 1, name: 'Gatehouse API' }).waitFor()
  await page.getByText(`curl ${base}/v3/chat/completions`).waitFor()
  await page.getByRole('link', { name: `Gatehouse ${packageVersion()}`, exact: true }).waitFor()
  const main = page.getByRole('main')
  await main.getByRole('link', { name: 'Upload a file', exact: false }).first().click()
  await page.getByRole('heading', { level: 1, name: 'Upload a file' }).waitFor()
  assert.equal(new URL(page.url()).hash, '#postUpload')
  assert.equal(await page.title(), 'Upload a file · Gatehouse API')
  await page.getByRole('link', { name: 'Overview' }).click()
  await page.getByRole('heading', { level: 1, name: 'Gatehouse API' }).waitFor()
})

docsTest('an operation has its fields with types and limits, and what is inside of them', async ({ page, base }) => {
  await openOperation(page, base, 'postChatCompletions')
  const field = page.locator('.fields > div', { has: page.locator('dt code', { hasText: /^temperature$/ }) })
  await field.getByText('0 to 2').waitFor()
  await page.getByText('Fields of Message', { exact: true }).first().click()
  await page
    .locator('.inner[open] dt code', { hasText: /^role$/ })
    .first()
    .waitFor()
  await page.getByRole('link', { name: 'model_not_found' }).click()
  await page.getByRole('heading', { level: 1, name: 'Errors' }).waitFor()
  await page.locator('#error-model_not_found').waitFor()
})

docsTest('the search finds operations by words of paths, names, fields and descriptions', async ({ page, base }) => {
  await page.goto(`${base}/docs`)
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.keyboard.press('/')
  await page.keyboard.type('rerank')
  const found = page.locator('.found a')
  await found.first().waitFor()
  assert.match(await found.first().innerText(), /Rerank documents/)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'Rerank documents' }).waitFor()
  await page.getByLabel('Search the guides and the API').fill('temperature')
  await page.getByText('field temperature').first().waitFor()
  await page.getByLabel('Search the guides and the API').press('ArrowDown')
  await page.keyboard.press('ArrowDown')
  const second = await found.nth(1).innerText()
  assert.equal(await page.evaluate('document.activeElement.innerText'), second)
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('ArrowUp')
  await page.keyboard.type('xyz')
  await page.getByText('No results for “temperaturexyz”').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('navigation', { name: 'Operations' }).waitFor()
})

docsTest('the pages of docs/ are beside the operations, and the same search finds them', async ({ page, base }) => {
  await page.goto(`${base}/docs#guides/tasks/ocrocr`)
  await page.getByRole('heading', { level: 3, name: 'ocr/ocr', exact: false }).first().waitFor()
  await page.goto(`${base}/docs`)
  const contents = page.getByRole('navigation', { name: 'Guides and operations' })
  await contents.getByText('Run it', { exact: true }).click()
  await contents.getByRole('link', { name: 'Operating', exact: true }).click()
  await page.getByRole('heading', { level: 1, name: 'Operating' }).waitFor()
  await page.getByRole('link', { name: 'The reference', exact: true }).first().click()
  await page.getByRole('heading', { level: 1, name: 'Operating: reference' }).waitFor()
  await page.getByLabel('Search the guides and the API').fill('first owner')
  await page.locator('.found a').first().click()
  await page.getByRole('heading', { level: 1, name: 'People, roles and sign-in' }).waitFor()
  assert.equal(await page.evaluate('location.hash'), '#guides/people/the-first-owner')
  await page.locator('.code-comment').first().waitFor()
})

docsTest('what the document says is text, whatever it contains', async ({ page, base }) => {
  await page.route('**/openapi.json', async (route) => {
    const text = await (await route.fetch()).text()
    const hostile = JSON.stringify(HOSTILE).slice(1, -1)
    await route.fulfill({
      contentType: 'application/json',
      body: text
        .replaceAll(/"(description|summary|message)":"/g, `"$1":"${hostile} `)
        .replaceAll('"temperature"', `"${hostile}"`)
        .replaceAll('sandbox/echo', hostile),
    })
  })
  await openOperation(page, base, 'postChatCompletions')
  await page.getByText('Fields of Message', { exact: true }).first().click()
  await page.getByText(HOSTILE).first().waitFor()
  await page.getByRole('link', { name: 'Errors' }).click()
  await page.getByRole('heading', { level: 1, name: 'Errors' }).waitFor()
  assert.equal(await page.locator('img').count(), 0)
})

docsTest('the guides are on the page, and without JavaScript there is the text', async ({ page, base }) => {
  for (const [name, words] of [
    ['Streaming', 'ends a complete stream'],
    ['When a provider fails', 'Try another key of the same provider'],
    ['Receiving webhooks', 'def verify('],
  ] as const) {
    await page.goto(`${base}/docs`)
    await page.getByRole('navigation').getByRole('link', { name, exact: true }).click()
    await page.getByRole('heading', { level: 1, name }).waitFor()
    await page.getByText(words).first().waitFor()
  }
  const context = await page.context().browser()!.newContext({ javaScriptEnabled: false })
  const plain = await context.newPage()
  await plain.goto(`${base}/docs`)
  await plain.getByRole('link', { name: 'The whole documentation as one text' }).click()
  await plain.getByText('## POST /v3/chat/completions').waitFor()
  await context.close()
  await page.goto(`${base}/docs#errors`)
  await page.getByRole('heading', { level: 1, name: 'Errors' }).waitFor()
})
