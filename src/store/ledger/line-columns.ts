// What a line says about itself, as SQL over its columns. Lines of versions before projects lack some of it.

/** The project of a line. A key without a named owner was its own owner, and such keys are in the project `personal`. */
export const PROJECT = "COALESCE(project, CASE WHEN owner = key_id THEN 'personal' ELSE owner END)"

export const ORGANIZATION = "COALESCE(organization, 'default')"

/** Whether a call failed, also one whose answer broke off after its status was sent. */
export const FAILED = 'status >= 400 OR code IS NOT NULL'
