import { signal } from '@preact/signals'
import type { CreatedKey } from '../../src/contract/admin/keys.ts'

/**
 * The key that was made on this page last, with its secret, so that the command for the first call can have it. It is in the
 * memory of the page only, and gone after a reload.
 */
export const newKey = signal<CreatedKey | undefined>(undefined)
