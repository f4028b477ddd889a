import MulticamMedia
import Testing

@Suite("a bounded queue")
struct BoundedQueueTests {
    @Test("peeking returns the oldest element without removing it, even after the queue was emptied")
    func oldest() {
        let queue = BoundedQueue<Int>(capacity: 200)
        #expect(queue.oldest == nil)
        for round in 0..<3 {
            for number in 0..<200 { #expect(queue.tryEnqueue(round * 1000 + number)) }
            #expect(!queue.tryEnqueue(-1))
            for number in 0..<200 {
                #expect(queue.oldest == round * 1000 + number)
                #expect(queue.dequeue() == round * 1000 + number)
            }
            #expect(queue.oldest == nil && queue.count == 0)
        }
    }
}
