import deltafold.Deltafold;
import deltafold.DeltafoldException;
import deltafold.Event;
import deltafold.Reader;
import java.io.FileInputStream;
import java.io.IOException;

class QuickStartJava {
    public static void main(String[] arguments) throws IOException, DeltafoldException {
        try (Reader reader = Deltafold.reader(); FileInputStream stream = new FileInputStream("examples/streams/tour.sse")) {
            int deltas = 0;
            for (Event event : Deltafold.events(stream, reader)) {
                if (event instanceof Event.OutputTextDelta) deltas++;
            }
            System.out.println(deltas + " deltas, " + reader.response().itemCount() + " items, " + reader.eventCount() + " events");
        }
    }
}
// 7 deltas, 4 items, 40 events
