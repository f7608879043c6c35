import { pathTo } from '../../api/client.ts'
import { useAnswer } from '../../api/use-answer.ts'
import { ApplyingLimits } from '../../parts/applying-limits.tsx'
import { Failure, Loading } from '../../parts/notice.tsx'

/** Every budget and rate limit that a call of this key is counted against. */
export function KeyLimits({ of: { id } }: { of: { id: string } }) {
  const { value, error, reload } = useAnswer(pathTo('/admin/keys/{id}/access', { id }))
  if (error) return <Failure error={error} onRetry={reload} />
  if (!value) return <Loading what="limits" />
  return <ApplyingLimits limits={value.limits} what="this key" />
}
