import assert from 'node:assert/strict'
import { consoleTest, endShared } from './checked-page.ts'
import { endedBatch, pausedBatch } from './made-batches.ts'
import { HOSTILE } from './seed.ts'

endShared()

consoleTest('a batch shows its progress and leads to its requests', async (console) => {
  const { page, base } = console
  const id = await endedBatch(console)
  await page.goto(`${base}/batches?project=search&status=completed`)
  await page.getByText('1 of 2, 1 failed').first().waitFor()
  await page.goto(`${base}/batches?batch=${id}`)
  const dialog = page.getByRole('dialog')
  await dialog.getByText('1 of 2, 1 failed').waitFor()
  await dialog.getByText('provider or gateway').waitFor()
  assert.equal(await dialog.getByRole('button', { name: 'Cancel', exact: true }).count(), 0)
  await dialog.getByRole('link', { name: 'View requests' }).click()
  await page.waitForURL(/\/requests\?.*batch=/)
  await page.getByText('sandbox/echo').first().waitFor()
})

consoleTest('a paused batch says why and until when, and is cancelled', async (console) => {
  const { page, base, owner } = console
  const id = await pausedBatch(console, HOSTILE)
  await page.goto(`${base}/batches?project=search`)
  await page.getByText(/^[2-9] batches$/).waitFor()
  await page.goto(`${base}/batches?status=open&batch=${id}`)
  const dialog = page.getByRole('dialog')
  await dialog.getByText('paused', { exact: true }).waitFor()
  await dialog.getByText(HOSTILE).waitFor()
  await dialog.getByText('Resumes at').waitFor()
  assert.equal(await page.locator('img').count(), 0)
  await dialog.getByRole('button', { name: 'Cancel', exact: true }).click()
  await dialog.getByRole('button', { name: 'Cancel batch' }).click()
  await page.getByText('The batch ends when').waitFor()
  const { body } = await owner('GET', '/admin/audit?action=batch.cancel')
  assert.equal(body.items[0].object, `batch:${id}`)
})
