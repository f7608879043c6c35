import type { PersonalKind } from '../../../engine-api/engines.ts'
import { localText } from '../../vendors/local/text.ts'
import { anonymized } from '../../results/personal-data.ts'
import { adapter } from '../../feature.ts'
import { measuredUnits } from '../../measured-units.ts'
import anonymization from './feature.ts'

const LABELS: Record<PersonalKind, string> = {
  email: 'email',
  iban: 'iban',
  card: 'credit card',
  national_id: 'national id',
  ip: 'ip address',
  phone: 'phone',
  address: 'address',
  name: 'person',
}
const KINDS = Object.keys(LABELS) as PersonalKind[]

/** Numbers look the same in every language; names are found mainly in English texts. */
export default adapter(anonymization, async (task, tools) => {
  const text = localText(task.input)
  const original = (await tools.engine('privacy', { texts: [text], kinds: KINDS }))[0]!
  const found = original.map(({ start, end, kind }) => {
    return { offset: start, length: end - start, label: LABELS[kind], confidence: null }
  })
  return { output: anonymized(text, found), original, units: measuredUnits(anonymization, task) }
})
