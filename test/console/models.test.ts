import assert from 'node:assert/strict'
import { invited, PASSWORD } from '../gateway/people-under-test.ts'
import { consoleTest, endShared } from './checked-page.ts'

endShared()

const SECRET = 'sk-of-the-console-test-wxyz'

consoleTest('providers are cards: searched, popular first, and none is ready that is not there', async (console) => {
  const { page, base } = console
  await page.goto(`${base}/models?view=nonsense`)
  await page.getByRole('link', { name: 'Providers', exact: true }).and(page.locator('[aria-current=page]')).waitFor()
  const group = (name: string) =>
    page.locator('section').filter({ has: page.getByRole('heading', { name, exact: true }) })
  const cards = group('Popular').getByRole('link')
  await cards.first().waitFor()
  assert.match(await cards.first().innerText(), /OpenAI/)
  assert.match(await cards.nth(1).innerText(), /Anthropic/)
  for (const name of ['vLLM', 'SGLang']) {
    const card = group('On your machines').getByRole('link', { name })
    await card.getByText('Not reachable').waitFor()
    assert.equal(await card.getByText('Ready').count(), 0)
  }
  await page.getByRole('searchbox', { name: 'Search providers' }).fill('bedrock')
  await page.waitForURL(/search=bedrock/)
  await page.getByRole('link', { name: /^Amazon Bedrock Not/ }).waitFor()
  assert.equal(await page.getByRole('link', { name: /^Anthropic/ }).count(), 0)
  await page.getByRole('searchbox', { name: 'Search providers' }).fill('no such provider')
  await page.getByRole('heading', { name: 'No providers match' }).waitFor()
  await page.getByRole('searchbox', { name: 'Search providers' }).fill('')
  await cards.first().waitFor()
})

consoleTest(
  'a provider has a page that says what is missing, stores its credential, and shows models and calls',
  async (console) => {
    const { page, base, owner } = console
    await page.goto(`${base}/models?search=groq`)
    await page.getByRole('link', { name: /Groq/ }).getByText('GROQ_API_KEY').waitFor()
    await page.getByRole('link', { name: /Groq/ }).click()
    await page.getByRole('heading', { name: 'Groq', level: 1 }).waitFor()
    await page.getByText("export GROQ_API_KEY='…'").waitFor()
    await page.getByText('Not set up').waitFor()
    await page.getByText('https://api.groq.com/openai/v1').waitFor()
    await page
      .getByRole('link', { name: /^groq\// })
      .first()
      .waitFor()
    await page.getByRole('textbox', { name: 'Credential name' }).fill('team-a')
    await page.getByLabel(/^API key/).fill(SECRET)
    await page.getByRole('button', { name: 'Add credential' }).click()
    await page.getByText('…wxyz').waitFor()
    await page.getByText('Set up', { exact: true }).waitFor()
    assert.ok(!(await page.content()).includes(SECRET))
    await page.getByRole('button', { name: 'Remove team-a' }).click()
    await page.getByRole('button', { name: 'Remove credential' }).click()
    await page.getByText('No credentials yet.').waitFor()
    assert.deepEqual((await owner('GET', '/admin/credentials?provider=groq')).body.items, [])
  },
)

consoleTest(
  'the calls of the last day are on the page of their provider and of their model',
  async ({ page, base }) => {
    await page.goto(`${base}/models?provider=openai`)
    const day = page.locator('section.panel').filter({ hasText: 'Last 24 hours' })
    await day.getByText('p95 latency').waitFor()
    const link = page.getByRole('link', { name: 'openai/gpt-4o-mini', exact: true })
    await link.waitFor()
    await link.click()
    await page.getByRole('heading', { name: 'openai/gpt-4o-mini', level: 1 }).waitFor()
    await day.getByText('First token, median').waitFor()
    await page.getByText('128,000 tokens').waitFor()
    const price = page.getByRole('row', { name: /^Input, per 1M tokens/ })
    await price.getByText('$0.15').waitFor()
    await page.getByText(/checked \d{4}-\d\d-\d\d/).waitFor()
    await page.getByRole('link', { name: 'azure/gpt-4o-mini', exact: true }).waitFor()
    await page.getByText('This model cannot be called yet').waitFor()
    assert.equal(await page.getByRole('link', { name: 'Try in the playground' }).count(), 0)
  },
)

consoleTest('a model leads to the playground, its requests and an alias', async ({ page, base }) => {
  await page.goto(`${base}/models?model=sandbox/echo`)
  await page.getByText('alias-of-the-file').waitFor()
  const link = page.getByRole('link', { name: 'Try in the playground' })
  assert.match((await link.getAttribute('href'))!, /^\/playground\?models=sandbox%2Fecho$/)
  await page.getByRole('main').getByRole('link', { name: 'Requests' }).click()
  await page.waitForURL(/requests\?model=sandbox/)
  await page.goto(`${base}/models?model=sandbox/echo`)
  await page.getByText('alias-of-the-file').waitFor()
})

consoleTest('the catalog is filtered in the address, and a model answers one token', async ({ page, base, owner }) => {
  await page.goto(`${base}/models?view=catalog&provider=sandbox`)
  await page.getByRole('link', { name: 'sandbox/echo', exact: true }).waitFor()
  assert.equal(await page.getByRole('link', { name: /^openai\// }).count(), 0)
  await page.getByRole('button', { name: 'Try sandbox/echo', exact: true }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('combobox', { name: 'Billed to' }).selectOption('search team')
  await dialog.getByRole('button', { name: 'Send request' }).click()
  await dialog.getByText('Answered').waitFor()
  const link = await dialog.getByRole('link', { name: 'View request' }).getAttribute('href')
  const id = new URL(link!, base).searchParams.get('call')
  await page.goto(`${base}/models?view=catalog&type=image&configured=true`)
  await page.getByRole('link', { name: 'sandbox/image' }).waitFor()
  assert.equal(await page.getByRole('button', { name: /^Try/ }).count(), 0)
  await page.goto(`${base}/models?view=catalog&capability=vision&min_context=1000000`)
  await page.getByRole('button', { name: 'Context: 1M and more' }).waitFor()
  await page
    .getByRole('link', { name: /^google\/gemini/ })
    .first()
    .waitFor()
  const asked = await untilKnown(() => owner('GET', `/admin/requests/${id}`))
  assert.deepEqual([asked.body.project, asked.body.model], ['search', 'sandbox/echo'])
})

consoleTest(
  'a member sees the models of the project with prices, and no provider',
  async ({ page, base, owner, gateway }) => {
    await owner('POST', '/admin/projects', { id: 'small', name: 'small', policy: { models: ['sandbox/echo*'] } })
    const email = 'mia@example.com'
    await invited(owner, gateway, { email, role: 'member', project: 'small' })
    await page.request.post(`${base}/admin/sessions`, { data: { email, password: PASSWORD } })
    await page.goto(base)
    await page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: 'Models' }).click()
    await page.getByRole('heading', { name: 'Models', level: 1 }).waitFor()
    await page.getByRole('link', { name: 'sandbox/echo', exact: true }).waitFor()
    assert.equal(await page.getByRole('link', { name: 'Providers' }).count(), 0)
    const names = await page.locator('tbody td[data-label="Model"]').allInnerTexts()
    assert.ok(names.some((name) => name.startsWith('alias-of-the-file')))
    for (const name of names) assert.match(name, /^(sandbox\/echo|alias-of-the-file)/)
    await page.getByRole('link', { name: 'sandbox/echo', exact: true }).click()
    await page.getByRole('link', { name: 'Try in the playground' }).waitFor()
    await page.getByText('all your projects').waitFor()
  },
  { signedIn: false },
)

consoleTest('a provider is set up in one dialog, which an address opens', async ({ page, base, owner }) => {
  await page.goto(`${base}/models?new=provider`)
  const dialog = page.getByRole('dialog', { name: 'Set up a provider' })
  await dialog.waitFor()
  assert.equal(await page.evaluate('document.activeElement.tagName'), 'SELECT')
  await dialog.getByRole('combobox', { name: 'Provider' }).selectOption('Mistral AI')
  await dialog.getByText("export MISTRAL_API_KEY='…'").waitFor()
  await dialog.getByRole('textbox', { name: 'Credential name' }).fill('first')
  await dialog.getByLabel(/^API key/).fill(SECRET)
  await dialog.getByRole('button', { name: 'Add credential' }).click()
  await dialog.getByRole('link', { name: 'Open Mistral AI' }).waitFor()
  const [made] = (await owner('GET', '/admin/credentials?provider=mistral')).body.items
  assert.equal(made.ends_with, 'wxyz')
  assert.equal((await owner('DELETE', `/admin/credentials/${made.id}`)).status, 204)
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  assert.ok(!page.url().includes('new='))
})

/** The line of a call is written soon after its answer. */
async function untilKnown<Answer extends { status: number }>(ask: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    const answer = await ask()
    if (answer.status !== 404) return answer
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

consoleTest(
  'an alias is made with weights and fallbacks, tried, changed and deleted',
  async ({ page, base, owner }) => {
    await page.goto(`${base}/models?view=aliases`)
    await page.getByRole('button', { name: 'New alias' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('textbox', { name: 'Name' }).fill('team/fast')
    await dialog.getByRole('textbox', { name: 'Model 1', exact: true }).fill('sandbox/fail-500')
    await dialog.getByRole('button', { name: 'Add model' }).click()
    await dialog.getByRole('textbox', { name: 'Model 2', exact: true }).fill('sandbox/fail-503')
    await dialog.getByRole('spinbutton', { name: 'Weight of model 2' }).fill('3')
    await dialog.getByRole('textbox', { name: /^Fallbacks/ }).fill('sandbox/echo')
    await dialog.getByRole('textbox', { name: /as JSON/ }).fill('{temperature')
    await dialog.getByRole('button', { name: 'Create alias' }).click()
    await dialog.getByRole('alert').getByText('have to be a JSON object').waitFor()
    await dialog.getByRole('textbox', { name: /as JSON/ }).fill('{"temperature": 0}')
    await dialog.getByRole('button', { name: 'Create alias' }).click()
    await page.getByRole('button', { name: 'Try team/fast' }).click()
    await dialog.getByRole('button', { name: 'Send request' }).click()
    await dialog.getByText('(sandbox/echo)').waitFor()
    await dialog.getByRole('button', { name: 'Close' }).click()
    await page.getByRole('link', { name: 'team/fast', exact: true }).click()
    await dialog.getByRole('button', { name: 'Remove model 1' }).click()
    await dialog.getByRole('textbox', { name: /^Fallbacks/ }).fill('')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.waitFor({ state: 'detached' })
    const { body } = await owner('GET', '/admin/aliases/team%2Ffast')
    assert.deepEqual(
      [body.targets.map(({ model, weight }: { model: string; weight: number }) => [model, weight]), body.defaults],
      [[['sandbox/fail-503', 3]], { temperature: 0 }],
    )
    assert.ok(!body.fallbacks?.length)
    await page.getByRole('link', { name: 'team/fast', exact: true }).click()
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await dialog.getByRole('button', { name: 'Delete alias' }).click()
    await dialog.waitFor({ state: 'detached' })
    assert.equal((await owner('GET', '/admin/aliases/team%2Ffast')).status, 404)
  },
)

consoleTest('an alias of the config file is shown, and not offered for change', async ({ page, base }) => {
  await page.goto(`${base}/models?view=aliases`)
  await page.getByRole('link', { name: 'alias-of-the-file', exact: true }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('is set in the config file').waitFor()
  assert.equal(await dialog.getByRole('button', { name: 'Save' }).count(), 0)
  assert.ok(await dialog.getByRole('textbox', { name: 'Model 1', exact: true }).isDisabled())
})
