// JDBC (pgjdbc). The steps are those of ../README.md.
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import org.postgresql.PGConnection;
import org.postgresql.util.PSQLException;

public class Jdbc {
    static final String CID = "bafyreifzvsbt6kiyg57lrrt3jbyqcf3lm7b6apz3rn7mjiyj32ornkf3xq";
    static final String DID = "did:plc:ewvi7nxzyoun6zhxrhs64oiz";
    static final String FIND = "SELECT rev FROM record WHERE rev = ?";

    interface Step { String run() throws Exception; }

    static Connection connection;

    static List<List<Object>> rows(String query, Object... values) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(query)) {
            for (int i = 0; i < values.length; i++)
                if (values[i] instanceof String[])
                    statement.setArray(i + 1, connection.createArrayOf("text", (String[]) values[i]));
                else if (values[i] == null)
                    statement.setNull(i + 1, java.sql.Types.OTHER);
                else
                    statement.setString(i + 1, (String) values[i]);
            return fetch(statement);
        }
    }

    static List<List<Object>> fetch(PreparedStatement statement) throws SQLException {
        List<List<Object>> rows = new ArrayList<>();
        if (!statement.execute())
            return rows;
        ResultSet set = statement.getResultSet();
        while (set.next()) {
            List<Object> row = new ArrayList<>();
            for (int i = 1; i <= set.getMetaData().getColumnCount(); i++)
                row.add(set.getObject(i) instanceof java.sql.Array ? set.getArray(i).getArray()
                        : set.getObject(i) == null ? null : set.getObject(i).toString());
            rows.add(row);
        }
        return rows;
    }

    static List<Object> revs(String query, Object... values) throws SQLException {
        List<Object> revs = new ArrayList<>();
        for (List<Object> row : rows(query, values))
            revs.add(row.get(0));
        return revs;
    }

    static String same(List<?> got, List<?> wanted) {
        if (!got.equals(wanted))
            throw new IllegalStateException(got + " instead of " + wanted);
        return "ok";
    }

    static String shape(String query) throws SQLException {
        try (ResultSet set = connection.createStatement().executeQuery(query)) {
            set.next();
            return set.getObject(1) instanceof java.sql.Array
                ? set.getArray(1).getArray().getClass().getSimpleName()
                : set.getObject(1).getClass().getSimpleName();
        }
    }

    static void tell(String name, Step step) {
        String result;
        try {
            result = step.run();
        } catch (SQLException e) {
            result = "error " + e.getSQLState();
        } catch (Exception e) {
            result = "error " + e;
        }
        System.out.println(name + "\t" + result);
    }

    public static void main(String[] arguments) throws Exception {
        connection = DriverManager.getConnection("jdbc:postgresql://127.0.0.1:" + System.getenv("PGPORT") + "/"
            + System.getenv("PGDATABASE") + "?user=" + System.getenv("PGUSER"));
        List<String> known = new ArrayList<>();

        tell("tid", () -> {
            for (int i = 0; i < 5; i++)
                known.add((String) revs("INSERT INTO record DEFAULT VALUES RETURNING rev").get(0));
            return shape("SELECT rev FROM record");
        });
        List<String> two = known.subList(1, 3);
        String[] array = two.toArray(new String[0]);
        tell("parameter", () -> same(revs(FIND, known.get(2)), known.subList(2, 3)));
        tell("any", () ->
            same(revs("SELECT rev FROM record WHERE rev = ANY(?) ORDER BY rev", (Object) array), two));
        tell("any, cast", () ->
            same(revs("SELECT rev FROM record WHERE rev = ANY(?::atid.tid[]) ORDER BY rev", (Object) array), two));
        tell("tid[]", () -> shape("SELECT array_agg(rev ORDER BY rev) FROM record"));
        tell("tid[] as text[]", () -> same(Arrays.asList((Object[]) revs(
            "SELECT array_agg(rev ORDER BY rev)::text[] FROM record").get(0)), known));
        tell("paging", () -> {
            List<Object> seen = new ArrayList<>(), page;
            String cursor = "2222222222222";
            while (!(page = revs("SELECT rev FROM record WHERE rev > ? ORDER BY rev LIMIT 2", cursor)).isEmpty()) {
                seen.addAll(page);
                cursor = (String) page.get(page.size() - 1);
            }
            return same(seen, known);
        });
        tell("null", () -> same(revs("UPDATE record SET prev = ? WHERE rev = '" + known.get(0)
            + "' RETURNING prev", (Object) null), Arrays.asList((Object) null)));
        tell("values", () -> {
            String[] row = {"self", CID, DID, "at://" + DID + "/app.bsky.feed.post/3jzfcijpj2z2a"};
            return same(rows("INSERT INTO record (rkey, cid, author, uri) VALUES (?, ?, ?, ?)"
                + " RETURNING rkey, cid, author, uri", (Object[]) row).get(0), Arrays.asList(row));
        });
        tell("prepared", () -> {
            String query = FIND.replace("?", "?::atid.tid");
            try (PreparedStatement statement = connection.prepareStatement(query)) {
                statement.unwrap(org.postgresql.PGStatement.class).setPrepareThreshold(1);
                for (String rev : known) {
                    statement.setString(1, rev);
                    same(fetch(statement).get(0), Arrays.asList(rev));
                }
            }
            return "ok";
        });
        tell("copy", () -> {
            connection.unwrap(PGConnection.class).getCopyAPI().copyIn("COPY record (rev) FROM STDIN",
                new java.io.StringReader("3k2hwfvx7k22l\n3k3yoc6ybt22l\n"));
            return same(revs("SELECT rev FROM record WHERE rev = '3k2hwfvx7k22l'"), Arrays.asList("3k2hwfvx7k22l"));
        });
        tell("check", () -> {
            connection.setAutoCommit(false);
            try {
                rows("INSERT INTO record (rkey) VALUES (?)", "no/slashes");
            } catch (PSQLException e) {
                connection.rollback();
                same(revs("SELECT rev FROM record WHERE rev = '" + known.get(2) + "'"), known.subList(2, 3));
                return e.getSQLState() + " " + e.getServerErrorMessage().getConstraint();
            }
            throw new IllegalStateException("the value was taken");
        });
        connection.close();
    }
}
