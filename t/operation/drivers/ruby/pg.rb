# pg (ruby-pg). The steps are those of ../README.md.
require 'pg'

CONNECTION = PG.connect
CID = 'bafyreifzvsbt6kiyg57lrrt3jbyqcf3lm7b6apz3rn7mjiyj32ornkf3xq'
DID = 'did:plc:ewvi7nxzyoun6zhxrhs64oiz'
FIND = 'SELECT rev FROM record WHERE rev = $1'

def rows(query, *values) = CONNECTION.exec_params(query, values).values
def revs(query, *values) = rows(query, *values).map(&:first)
def one(query) = rows(query)[0][0]
def list(values) = PG::TextEncoder::Array.new.encode(values)
def shape(value) = value.is_a?(Array) ? 'Array' : value.class.name

def same(got, wanted)
  raise "#{got} instead of #{wanted}" if got != wanted
end

def tell(name)
  result = yield
  puts "#{name}\t#{result || 'ok'}"
rescue PG::Error => e
  puts "#{name}\terror #{e.result.error_field(PG::PG_DIAG_SQLSTATE)}"
rescue StandardError => e
  puts "#{name}\terror #{e}"
end

$stdout.sync = true
known = []
tell('tid') do
  5.times { known << one('INSERT INTO record DEFAULT VALUES RETURNING rev') }
  shape(known[0])
end
two = known[1, 2]
tell('parameter') { same(revs(FIND, known[2]), [known[2]]) }
tell('any') { same(revs('SELECT rev FROM record WHERE rev = ANY($1) ORDER BY rev', list(two)), two) }
tell('any, cast') do
  same(revs('SELECT rev FROM record WHERE rev = ANY($1::atid.tid[]) ORDER BY rev', list(two)), two)
end
tell('tid[]') { shape(one('SELECT array_agg(rev ORDER BY rev) FROM record')) }
tell('tid[] as text[]') do
  text = one('SELECT array_agg(rev ORDER BY rev)::text[] FROM record')
  same(PG::TextDecoder::Array.new.decode(text), known)
end
tell('paging') do
  seen = []
  until (page = revs('SELECT rev FROM record WHERE rev > $1 ORDER BY rev LIMIT 2', seen.last || '2' * 13)).empty?
    seen += page
  end
  same(seen, known)
end
tell('null') { same(rows('UPDATE record SET prev = $1 WHERE rev = $2 RETURNING prev', nil, known[0]), [[nil]]) }
tell('values') do
  row = ['self', CID, DID, "at://#{DID}/app.bsky.feed.post/3jzfcijpj2z2a"]
  same(rows('INSERT INTO record (rkey, cid, author, uri) VALUES ($1, $2, $3, $4) RETURNING rkey, cid, author, uri',
            *row), [row])
end
tell('prepared') do
  CONNECTION.prepare('find', FIND)
  known.each { |rev| same(CONNECTION.exec_prepared('find', [rev]).values, [[rev]]) }
  nil
end
tell('copy') do
  CONNECTION.copy_data('COPY record (rev) FROM STDIN') do
    %w[3k2hwfvx7k22l 3k3yoc6ybt22l].each { |rev| CONNECTION.put_copy_data("#{rev}\n") }
  end
  same(revs(FIND, '3k2hwfvx7k22l'), ['3k2hwfvx7k22l'])
end
tell('check') do
  CONNECTION.transaction { rows('INSERT INTO record (rkey) VALUES ($1)', 'no/slashes') }
  raise 'the value was taken'
rescue PG::CheckViolation => e
  same(revs(FIND, known[2]), [known[2]])
  [PG::PG_DIAG_SQLSTATE, PG::PG_DIAG_CONSTRAINT_NAME].map { |field| e.result.error_field(field) }.join(' ')
end

# The lines of doc/clients.md (from the test): a decoder for the array's OID
connection = CONNECTION
eval File.read('recipe_pg.rb')
tell('tid[], registered') { shape(one('SELECT array_agg(rev ORDER BY rev) FROM record')) }
