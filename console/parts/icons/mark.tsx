import { MARK_PATH } from './mark-path.ts'

export function Mark() {
  return (
    <svg class="mark" viewBox="0 0 24 24" aria-hidden="true">
      <rect width="24" height="24" rx="6" />
      <path d={MARK_PATH} />
    </svg>
  )
}
