import Foundation
import MulticamContainers
import MulticamMedia

extension MovieFile {
    /// The date 2026-11-21 13:23:10 UTC.
    static let date = Date(timeIntervalSince1970: 1_795_267_390)

    /// Appends the packets of several clips in decoding order.
    func append(_ clips: [Clip], from track: Int = 0) throws {
        var next = clips.map { _ in 0 }
        while true {
            let waiting = clips.indices.filter { next[$0] < clips[$0].packets.count }
            let earliest = waiting.min { first, second in
                func seconds(_ clip: Int) -> Double {
                    Double(clips[clip].packets[next[clip]].decode) / Double(clips[clip].parameters.timeScale)
                }
                return seconds(first) < seconds(second)
            }
            guard let clip = earliest else { return }
            try append(clips[clip].packets[next[clip]], to: track + clip)
            next[clip] += 1
        }
    }
}
