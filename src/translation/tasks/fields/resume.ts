import Type from '../../../base/schema/type.ts'
import { nullable } from '../../../base/schema/fields.ts'
import { closedObject } from '../closed-object.ts'
import { nullableFields } from '../nullable-fields.ts'

// The spellings of `sufix`, `appartment_number` and `martial_status` are the ones that clients know.

const Text = Type.String()

const Location = closedObject(
  nullableFields(Text, {
    formatted_location: 'Whole address, tidied.',
    postal_code: 'Postal code.',
    region: 'Region or state.',
    country: 'Country.',
    country_code: 'Country as an ISO code.',
    raw_input_location: 'The address as it is written in the document.',
    street: 'Street.',
    street_number: 'House number.',
    appartment_number: 'Number of the flat.',
    city: 'City.',
  }),
)

const Name = closedObject(
  nullableFields(Text, {
    first_name: 'Given name.',
    last_name: 'Family name.',
    raw_name: 'The name as it is written in the document.',
    middle: 'Middle name.',
    title: 'Title, such as Dr.',
    prefix: 'Prefix of the name.',
    sufix: 'Suffix of the name.',
  }),
  'Name of the person.',
)

const Person = closedObject(
  {
    name: Name,
    address: nullable(Location, 'Address of the person.'),
    ...nullableFields(Text, {
      self_summary: "The person's summary of themselves.",
      objective: 'What the person is looking for.',
      date_of_birth: 'Date of birth.',
      place_of_birth: 'Place of birth.',
    }),
    phones: Type.Array(Text, { description: 'Telephone numbers.' }),
    mails: Type.Array(Text, { description: 'E-mail addresses.' }),
    urls: Type.Array(Text, { description: 'Web addresses.' }),
    fax: Type.Array(Text, { description: 'Fax numbers.' }),
    ...nullableFields(Text, {
      current_profession: 'Current profession.',
      gender: 'Gender.',
      nationality: 'Nationality.',
      martial_status: 'Whether married.',
      current_salary: 'Current salary.',
      availability: 'When the person is available.',
    }),
  },
  'Who the person is.',
)

const PERIOD = { title: 'Degree or position.', start_date: 'When it began.', end_date: 'When it ended.' }

const Education = closedObject({
  ...nullableFields(Text, PERIOD),
  location: nullable(Location, 'Where it was.'),
  ...nullableFields(Text, {
    establishment: 'School or university.',
    description: 'What is said about it.',
    gpa: 'Grade average.',
    accreditation: 'Accreditation of the degree.',
  }),
})

const Work = closedObject({
  ...nullableFields(Text, { ...PERIOD, company: 'Employer.' }),
  location: nullable(Location, 'Where it was.'),
  ...nullableFields(Text, {
    description: 'What is said about it.',
    type: 'Kind of employment.',
    industry: 'Industry of the employer.',
  }),
})

function mentions(description: string) {
  const Mention = closedObject({
    name: Type.String({ description: 'Name.' }),
    ...nullableFields(Text, { type: 'What kind it is.' }),
  })
  return Type.Array(Mention, { description })
}

const SpokenLanguage = closedObject({
  name: Type.String({ description: 'Name.' }),
  ...nullableFields(Text, { code: 'Its ISO code.' }),
})

/** The fields of a curriculum vitae. */
export const Resume = closedObject(
  {
    personal_infos: Person,
    education: closedObject(
      {
        ...nullableFields(Type.Integer(), { total_years_education: 'Total years of education.' }),
        entries: Type.Array(Education, { description: 'One entry per school or degree.' }),
      },
      'What the person learnt.',
    ),
    work_experience: closedObject(
      {
        ...nullableFields(Text, { total_years_experience: 'Total years of work.' }),
        entries: Type.Array(Work, { description: 'One entry per position.' }),
      },
      'Where the person worked.',
    ),
    languages: Type.Array(SpokenLanguage, { description: 'Languages the person speaks.' }),
    skills: mentions('What the person can do.'),
    certifications: mentions('Certificates.'),
    courses: mentions('Courses taken.'),
    publications: mentions('Publications.'),
    interests: mentions('Interests.'),
  },
  'What the document says.',
)
