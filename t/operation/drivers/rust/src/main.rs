// tokio-postgres, which speaks the binary form and refuses types that it does not know. The steps are
// those of ../README.md; the codec at the end makes them work without casts.
use std::error::Error;
use tokio_postgres::types::{FromSql, IsNull, ToSql, Type};
use tokio_postgres::{Client, NoTls};

const CID: &str = "bafyreifzvsbt6kiyg57lrrt3jbyqcf3lm7b6apz3rn7mjiyj32ornkf3xq";
const DID: &str = "did:plc:ewvi7nxzyoun6zhxrhs64oiz";
const FIND: &str = "SELECT rev FROM record WHERE rev = $1";

type Outcome = Result<String, Box<dyn Error + Send + Sync>>;

fn tell(name: &str, outcome: Outcome) {
    match outcome {
        Ok(result) => println!("{name}\t{result}"),
        Err(error) => println!("{name}\terror {}", fault(error.as_ref()).0),
    }
}

fn fault(error: &(dyn Error + 'static)) -> (String, String) {
    match error.downcast_ref::<tokio_postgres::Error>() {
        Some(error) => match error.as_db_error() {
            Some(fault) => (fault.code().code().into(), fault.constraint().unwrap_or("").into()),
            None => (error.source().map_or(error.to_string(), |e| e.to_string()), String::new()),
        },
        None => (error.to_string(), String::new()),
    }
}

fn same<T: PartialEq + std::fmt::Debug>(got: T, wanted: T) -> Outcome {
    if got == wanted {
        Ok("ok".into())
    } else {
        Err(format!("{got:?} instead of {wanted:?}").into())
    }
}

async fn texts(client: &Client, query: &str, values: &[&(dyn ToSql + Sync)])
    -> Result<Vec<String>, tokio_postgres::Error>
{
    client.query(query, values).await?.iter().map(|row| row.try_get(0)).collect()
}

async fn tids(client: &Client, query: &str, values: &[&(dyn ToSql + Sync)])
    -> Result<Vec<Tid>, tokio_postgres::Error>
{
    client.query(query, values).await?.iter().map(|row| row.try_get(0)).collect()
}

async fn plain(client: &Client) -> Outcome {
    let known = texts(client,
        "INSERT INTO record SELECT FROM generate_series(1, 5) RETURNING rev::text", &[]).await?;
    let two = known[1..3].to_vec();
    let one = known[2..3].to_vec();

    tell("tid", match texts(client, "SELECT rev FROM record", &[]).await {
        Ok(_) => Ok("String".into()),
        Err(error) => Err(error.into()),
    });
    tell("tid as text", same(texts(client, "SELECT rev::text FROM record ORDER BY rev", &[]).await?, known.clone()));
    tell("parameter", match texts(client, "SELECT rev::text FROM record WHERE rev = $1", &[&known[2]]).await {
        Ok(got) => same(got, one.clone()),
        Err(error) => Err(error.into()),
    });
    tell("parameter, cast", same(
        texts(client, "SELECT rev::text FROM record WHERE rev = $1::text::atid.tid", &[&known[2]]).await?, one));
    tell("any, cast", same(
        texts(client, "SELECT rev::text FROM record WHERE rev = ANY($1::text[]::atid.tid[]) ORDER BY rev",
            &[&two]).await?, two));
    let array: Vec<String> =
        client.query_one("SELECT array_agg(rev ORDER BY rev)::text[] FROM record", &[]).await?.try_get(0)?;
    tell("tid[] as text[]", same(array, known.clone()));
    let row = vec!["self".to_string(), CID.into(), DID.into(), format!("at://{DID}/app.bsky.feed.post/3jzfcijpj2z2a")];
    let got = client.query_one(
        "INSERT INTO record (rkey, cid, author, uri) VALUES ($1::text, $2::text, $3::text, $4::text)
         RETURNING rkey::text, cid::text, author::text, uri::text", &[&row[0], &row[1], &row[2], &row[3]]).await?;
    tell("values", same((0..4).map(|i| got.get::<_, String>(i)).collect(), row));
    let refused = client.execute("INSERT INTO record (rkey) VALUES ($1::text)", &[&"no/slashes"]).await;
    let (code, constraint) = fault(&refused.err().ok_or("the value was taken")?);
    tell("check", Ok(format!("{code} {constraint}")));
    Ok("".into())
}

async fn with_codec(client: &Client) -> Outcome {
    let known = tids(client, "SELECT rev FROM record ORDER BY rev", &[]).await?;
    let two = known[1..3].to_vec();

    tell("parameter, codec", same(tids(client, FIND, &[&known[2]]).await?, known[2..3].to_vec()));
    tell("any, codec", same(
        tids(client, "SELECT rev FROM record WHERE rev = ANY($1) ORDER BY rev", &[&two]).await?, two));
    let mut seen: Vec<Tid> = vec![];
    loop {
        let last = seen.last().cloned().unwrap_or(Tid("2222222222222".into()));
        let page = tids(client, "SELECT rev FROM record WHERE rev > $1 ORDER BY rev LIMIT 2", &[&last]).await?;
        if page.is_empty() {
            break;
        }
        seen.extend(page);
    }
    tell("paging, codec", same(seen, known.clone()));
    let prev: Option<Tid> = client.query_one(
        "UPDATE record SET prev = $1 WHERE rev = $2 RETURNING prev", &[&None::<Tid>, &known[0]]).await?.try_get(0)?;
    tell("null, codec", same(prev, None));
    let statement = client.prepare(FIND).await?;
    for rev in &known {
        let got: Tid = client.query_one(&statement, &[rev]).await?.try_get(0)?;
        same(&got, rev)?;
    }
    tell("prepared, codec", Ok("ok".into()));
    Ok("".into())
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let setting = |name| std::env::var(name).expect(name);
    let config = format!("host={} port={} user={} dbname={}",
        setting("PGHOST"), setting("PGPORT"), setting("PGUSER"), setting("PGDATABASE"));
    let (client, connection) = tokio_postgres::connect(&config, NoTls).await.expect("no connection");
    tokio::spawn(connection);
    for outcome in [plain(&client).await, with_codec(&client).await] {
        if let Err(error) = outcome {
            tell("end", Err(error));
        }
    }
}

/// A TID as its text. Its binary form is 8 bytes, big-endian: thirteen base32 digits of five bits.
#[derive(Clone, Debug, PartialEq)]
struct Tid(String);

const DIGITS: &[u8; 32] = b"234567abcdefghijklmnopqrstuvwxyz";

fn is_tid(ty: &Type) -> bool {
    ty.schema() == "atid" && ty.name() == "tid"
}

impl<'a> FromSql<'a> for Tid {
    fn from_sql(_: &Type, raw: &'a [u8]) -> Result<Self, Box<dyn Error + Sync + Send>> {
        let value = u64::from_be_bytes(raw.try_into()?);
        Ok(Tid((0..13).rev().map(|i| DIGITS[(value >> (5 * i) & 31) as usize] as char).collect()))
    }
    fn accepts(ty: &Type) -> bool {
        is_tid(ty)
    }
}

impl ToSql for Tid {
    fn to_sql(&self, _: &Type, out: &mut bytes::BytesMut) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        let mut value = 0u64;
        for byte in self.0.bytes() {
            value = value << 5 | DIGITS.iter().position(|&digit| digit == byte).ok_or("not a TID")? as u64;
        }
        out.extend_from_slice(&value.to_be_bytes());
        Ok(IsNull::No)
    }
    fn accepts(ty: &Type) -> bool {
        is_tid(ty)
    }
    tokio_postgres::types::to_sql_checked!();
}
