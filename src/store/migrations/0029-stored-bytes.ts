import type { Migration } from '../migration.ts'

const ofRequests = 'SELECT octet_length(request) + COALESCE(octet_length(user_parameters), 0) FROM job_requests'
const ofResults = 'SELECT COALESCE(octet_length(output), 0) + COALESCE(octet_length(original), 0) FROM job_results'

/**
 * What a job was given and gave, and what a webhook sends, in bytes. The indexes have all that the sum of an owner needs, so
 * that it can be asked for whenever something is stored.
 */
export const migration: Migration = {
  statements: [
    'ALTER TABLE jobs ADD COLUMN bytes BIGINT NOT NULL DEFAULT 0',
    `UPDATE jobs SET bytes = COALESCE((${ofRequests} WHERE job_id = jobs.id), 0)
      + COALESCE((${ofResults} WHERE job_id = jobs.id), 0)
      + COALESCE((SELECT SUM(octet_length(events)) FROM response_events WHERE job_id = jobs.id), 0)`,
    'ALTER TABLE deliveries ADD COLUMN bytes BIGINT NOT NULL DEFAULT 0',
    `UPDATE deliveries SET bytes = COALESCE(
      (SELECT octet_length(body) FROM delivery_bodies WHERE delivery_id = deliveries.id), 0)`,
    'CREATE INDEX jobs_stored ON jobs (owner, bytes)',
    'CREATE INDEX deliveries_stored ON deliveries (owner, bytes)',
    'CREATE INDEX files_stored ON files (owner, expires_at, size)',
  ],
}
