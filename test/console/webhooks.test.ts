import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before } from 'node:test'
import { invited, PASSWORD } from '../gateway/people-under-test.ts'
import { taskClient } from '../gateway/task-client.ts'
import { startReceiver } from '../fakes/webhook-receiver.ts'
import { type ConsolePage, consoleTest, endShared } from './checked-page.ts'
import { HOSTILE } from './seed.ts'

let receiver: Awaited<ReturnType<typeof startReceiver>>

before(async () => {
  receiver = await startReceiver((response, { path }) => {
    response.writeHead(Number(path.slice(1)) || 200).end(`answer ${HOSTILE}`)
  })
})
after(() => receiver.stop())
endShared()

consoleTest('a webhook shows its attempts, and its bytes and answers on request', async (console) => {
  const { page, base } = console
  const [id] = await failedWebhooks(console, 1)
  await page.goto(`${base}/webhooks?state=failed`)
  await page.getByRole('region', { name: 'Webhooks' }).getByRole('link').first().click()
  await page.waitForURL(/delivery=/)
  await page.goto(`${base}/webhooks?delivery=${id}`)
  const dialog = page.getByRole('dialog')
  await dialog.getByText('503', { exact: true }).waitFor()
  await dialog.getByText('Headers and signatures').click()
  await dialog.getByText('webhook-signature: v1a,', { exact: false }).waitFor()
  assert.equal(await dialog.getByText(HOSTILE, { exact: false }).count(), 0)
  await dialog.getByRole('button', { name: 'Show body and answers' }).click()
  await dialog.getByText(`answer ${HOSTILE}`).waitFor()
  const sent = receiver.received.at(-1)!.body.toString()
  await dialog.locator('pre', { hasText: sent }).waitFor()
  await dialog.getByText('RSA, for X-Service-Signature').click()
  await dialog.getByText('BEGIN PUBLIC KEY', { exact: false }).waitFor()
  assert.equal(await page.locator('img').count(), 0)
})

consoleTest('one webhook is sent again, then all failed ones after their count was confirmed', async (console) => {
  const { page, base, owner } = console
  const [id] = await failedWebhooks(console, 2)
  const host = new URL(receiver.url).host
  const failed = async () => (await owner('GET', `/admin/deliveries?state=failed&receiver=${host}`)).body.items.length
  const before = receiver.received.length
  await page.goto(`${base}/webhooks?receiver=${host}&delivery=${id}`)
  await page.getByRole('button', { name: 'Resend', exact: true }).click()
  await page.getByRole('button', { name: 'Resend webhook' }).click()
  await page.getByText('The webhook is sent again').waitFor()
  await settled(console, id!, 2)
  await page.getByRole('button', { name: 'Close' }).click()
  // The whole filter applies: none of them has another last status.
  await page.goto(`${base}/webhooks?receiver=${host}&last_status=404`)
  await page.getByRole('button', { name: 'Retry failed…' }).click()
  await page.getByText('No webhooks to retry.').waitFor()
  await page.goto(`${base}/webhooks?receiver=${host}&last_status=503`)
  const count = await failed()
  await page.getByRole('button', { name: 'Retry failed…' }).click()
  await page.getByRole('button', { name: `Retry ${count} webhooks` }).click()
  await page.getByText(`Retry: finished ${count} of ${count} webhooks.`).waitFor()
  await settled(console, id!, 3)
  assert.ok(receiver.received.length >= before + 2)
})

consoleTest(
  'a test tells what the receiver answered, and a refused address says why',
  async ({ page, base, expect }) => {
    expect(/status of 422/)
    await page.goto(`${base}/webhooks`)
    await page.getByRole('button', { name: 'Send a test…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('textbox', { name: 'Receiver' }).fill('http://10.0.0.1/hook')
    await dialog.getByRole('button', { name: 'Send test' }).click()
    await dialog.getByRole('alert').waitFor()
    await dialog.getByRole('textbox', { name: 'Receiver' }).fill(`${receiver.url}/200`)
    await dialog.getByRole('button', { name: 'Send test' }).click()
    await dialog.getByText('delivered', { exact: true }).waitFor()
    await dialog.getByText(`answer ${HOSTILE}`).waitFor()
    await dialog.getByText('X-Service-Signature', { exact: false }).waitFor()
  },
)

consoleTest(
  'a manager who may not read contents sees attempts and signatures of a webhook, and a note',
  async (console) => {
    const { page, base, owner, gateway } = console
    const [id] = await failedWebhooks(console, 1)
    const email = `${randomUUID()}@example.com`
    await invited(owner, gateway, { email, role: 'manager', project: 'search' })
    await page.context().request.post(`${base}/admin/sessions`, { data: { email, password: PASSWORD } })
    await page.goto(`${base}/webhooks?delivery=${id}`)
    const dialog = page.getByRole('dialog')
    await dialog.getByText("You don't have access to this content", { exact: false }).waitFor()
    assert.equal(await dialog.getByRole('button', { name: 'Show body and answers' }).count(), 0)
    await dialog.getByText('Headers and signatures').click()
    await dialog.getByText('webhook-signature: v1a,', { exact: false }).waitFor()
    await dialog.getByRole('button', { name: 'Resend' }).waitFor()
  },
  { signedIn: false },
)

/** Returns the ids of webhooks that the receiver has refused. */
async function failedWebhooks(console: ConsolePage, count: number): Promise<string[]> {
  const { owner, gateway } = console
  const { body: key } = await owner('POST', '/admin/keys', { name: 'webhooks', project: 'search' })
  const client = taskClient(gateway.url, key.key)
  const task = { model: 'text/moderation/sandbox', input: { text: 'hello' }, webhook_receiver: `${receiver.url}/503` }
  const ids: string[] = []
  for (let at = 0; at < count; at++) {
    const { body: job } = await client.submit(task)
    await client.ended(job.job_id)
    const { body } = await owner('GET', `/admin/deliveries?job_id=${job.job_id}`)
    await settled(console, body.items[0].id, 1)
    ids.push(body.items[0].id)
  }
  return ids
}

async function settled({ owner }: ConsolePage, id: string, attempts: number): Promise<void> {
  for (;;) {
    const { body } = await owner('GET', `/admin/deliveries/${id}`)
    if (body.state !== 'pending' && body.attempt_list.length >= attempts) return
  }
}
