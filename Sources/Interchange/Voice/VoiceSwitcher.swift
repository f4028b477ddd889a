internal import Glibc
package import MulticamMedia

/// Voice switching during a recording: makes a decision every 10 ms, based on the audio up to that time. A
/// pure value type.
///
/// In each band of a `VoiceMeter`, the noise of each microphone and the level of the other voices in this
/// microphone are estimated continuously. Even a soft voice is louder than the noise or another voice in some
/// band. Since the future is unknown, evidence for a change is weighed against evidence for the current
/// picture, and the switch occurs about 0.3 s after the speaker changes.
package struct VoiceSwitcher: Sendable {
    /// The picture to show.
    package enum Choice: Sendable, Equatable {
        /// The speaker of one microphone, identified by the microphone's index in the list of levels.
        case speaker(Int)
        /// All speakers, because several are speaking.
        case several
        /// All speakers, because no one is speaking.
        case silence

        fileprivate var isWide: Bool { self == .several || self == .silence }
    }

    /// Minimum length of a shot, in 10 ms levels.
    private let minShot: Int
    private var microphoneStates: [MicrophoneState]
    private var pairs: [Pair]
    private var time = 0
    private var shown = Choice.silence
    private var shownSince: Int
    /// For each speaker, the evidence that only this person is speaking, in 10 ms levels.
    private var soloEvidence: [Double]
    /// Time of the last sound above the noise.
    private var lastSoundTime = -1_000_000

    // Minimum evidence for a single speaker and for several speakers, in 10 ms levels.
    private static let minSoloEvidence = 20.0
    private static let minJointEvidence = 25
    /// Duration of silence after which a person counts as no longer speaking, in 10 ms levels. Most pauses
    /// within a sentence are shorter than this duration.
    private static let speechTimeout = 53
    /// Duration of silence after which all speakers are shown, in 10 ms levels. The pauses between the turns of a
    /// conversation are shorter, and would otherwise be shown as short shots of all speakers.
    private static let silenceTimeout = 170
    /// Minimum ratio of a voice to the noise: 5 dB.
    private static let noiseMargin: Float = 3.2
    // Minimum level of a voice above the level expected from noise and other voices, in decibels.
    private static let maxBandExcess = VoiceMeter.Powers(repeating: 6)
    private static let minTotalExcess: Float = 6

    /// Starts with all speakers shown.
    ///
    /// - Parameters:
    ///   - microphones: Number of microphones.
    ///   - minShot: Minimum length of a shot, except for shots that show silence.
    package init(microphones: Int, minShot: Nanoseconds) {
        self.minShot = max(1, Int(clamping: minShot.count / 10_000_000))
        let count = max(0, microphones)
        microphoneStates = Array(repeating: MicrophoneState(), count: count)
        soloEvidence = Array(repeating: 0, count: count)
        pairs = (0..<count).flatMap { one in
            (0..<count).compactMap { other in one < other ? Pair(one: one, other: other) : nil }
        }
        shownSince = 0
    }

    /// Starts a new recording with all speakers shown. The learned properties of microphones and voices are
    /// kept.
    package mutating func restart() {
        shown = .silence
        shownSince = time
        resetEvidence()
    }

    /// Processes the next powers of each microphone.
    ///
    /// - Parameter powers: The powers that a `VoiceMeter` measured over 10 ms, in the order of the
    ///   microphones. Missing values count as silence.
    /// - Returns: The picture to show from now on, if it changes.
    package mutating func add(_ powers: [VoiceMeter.Powers?]) -> Choice? {
        for index in microphoneStates.indices {
            let power = index < powers.count ? powers[index] : .zero
            microphoneStates[index].isMuted = power == nil
            microphoneStates[index].add(power ?? .zero, at: time)
        }
        updateLeakage()
        if microphoneStates.contains(where: \.isSounding) { lastSoundTime = time }
        let speaking = microphoneStates.indices.filter(hasOwnSpeaker)
        let counts = microphoneStates.map(\.count)
        for index in speaking { microphoneStates[index].recordSpeech(at: time, counts: counts) }
        updateEvidence(speaking)
        time += 1
        // After silence, the next speaker is shown immediately.
        guard let choice, shown == .silence || time - shownSince >= minShot else { return nil }
        // The picture is the same whether several people or no one is speaking.
        let isSeen = !(choice.isWide && shown.isWide)
        shown = choice
        guard isSeen else { return nil }
        shownSince = time
        resetEvidence()
        return choice
    }

    /// Whether two people are still speaking, and both have been heard for long enough since the second
    /// person began.
    ///
    /// If two people speak at the same time, usually only the louder syllable is detected. A person who is
    /// about to stop speaking isn't heard anymore once the next person has begun, and a single word isn't
    /// long enough.
    private var isSimultaneousSpeech: Bool {
        func isHeard(_ one: Int, since other: Int) -> Bool {
            microphoneStates[one].count - microphoneStates[other].countsAtSpeechStart[one]
                >= Self.minJointEvidence
        }
        let going = microphoneStates.indices.filter {
            time - 1 - microphoneStates[$0].lastSpeechTime < Self.speechTimeout && isHeard($0, since: $0)
        }
        return going.contains { one in
            going.contains { $0 != one && isHeard(one, since: $0) && isHeard($0, since: one) }
        }
    }

    /// Updates the evidence with the current level.
    private mutating func updateEvidence(_ speaking: [Int]) {
        for index in soloEvidence.indices {
            let gain =
                speaking.isEmpty ? -0.1 : speaking == [index] ? 1 : speaking.contains(index) ? 0 : -2
            soloEvidence[index] = min(max(0, soloEvidence[index] + gain), Self.minSoloEvidence + 8)
        }
    }

    private mutating func resetEvidence() {
        soloEvidence = soloEvidence.map { _ in 0 }
    }

    /// The picture to show, if it differs from the current picture.
    private var choice: Choice? {
        if shown != .silence, time - 1 - lastSoundTime >= Self.silenceTimeout { return .silence }
        if shown != .several, isSimultaneousSpeech { return .several }
        guard let best = soloEvidence.indices.max(by: { soloEvidence[$0] < soloEvidence[$1] }),
            soloEvidence[best] >= Self.minSoloEvidence,
            shown != .speaker(best)
        else { return nil }
        let goesOn = microphoneStates.indices.contains {
            $0 != best && time - 1 - microphoneStates[$0].lastSpeechTime < Self.speechTimeout
        }
        return shown == .several && goesOn ? nil : .speaker(best)
    }

    /// Whether a microphone is picking up its own speaker: its level exceeds its noise and the leakage of all
    /// other voices, either clearly in one band and slightly in another, or moderately in several.
    private func hasOwnSpeaker(_ index: Int) -> Bool {
        let ear = microphoneStates[index]
        var others = ear.noise * Self.noiseMargin
        for pair in pairs {
            if pair.one == index { others += microphoneStates[pair.other].highest * pair.leakToOne }
            if pair.other == index { others += microphoneStates[pair.one].highest * pair.leakToOther }
        }
        let over = (ear.power / others).decibels.clamped(lowerBound: .zero, upperBound: Self.maxBandExcess)
        return over.sum() > Self.minTotalExcess
    }

    /// Records the level difference between each pair of microphones while one of them is picking up a voice.
    private mutating func updateLeakage() {
        // Until both people have spoken, the levels of their voices are unknown. Therefore, the microphone
        // with the highest level above its own noise counts as the loudest microphone.
        guard
            let loudest = microphoneStates.indices.max(by: {
                microphoneStates[$0].aboveNoise < microphoneStates[$1].aboveNoise
            }),
            microphoneStates[loudest].aboveNoise > 10
        else { return }
        for index in pairs.indices where pairs[index].one == loudest || pairs[index].other == loudest {
            guard !microphoneStates[pairs[index].one].isMuted, !microphoneStates[pairs[index].other].isMuted
            else { continue }
            pairs[index].count(microphoneStates[pairs[index].one], microphoneStates[pairs[index].other])
        }
    }
}

extension VoiceMeter.Powers {
    fileprivate var decibels: Self {
        var decibels = self
        for band in indices { decibels[band] = 10 * log10(self[band]) }
        return decibels
    }
}

extension VoiceSwitcher {
    /// State of one microphone: its level in each band, its noise, and the time when its own speaker was last heard.
    fileprivate struct MicrophoneState {
        /// Whether the microphone's audio is excluded from the decision.
        var isMuted = false
        /// Mean power over the last 50 ms.
        private(set) var power = lowest
        /// Recent maximum power, which decays by 1.5 dB per 10 ms. Sound reaches the other microphones a few
        /// milliseconds later, and the room reverberates.
        private(set) var highest = lowest
        /// Peak level of the noise: the maximum power in the quietest segment of the last 20 s.
        private(set) var noise = lowest
        private var last: [VoiceMeter.Powers] = []
        /// Maximum power of each segment, including the current one.
        private var maxima: [VoiceMeter.Powers] = []
        private var loudest = lowest
        /// Time when the microphone's own speaker was last heard, and the total number of levels in which
        /// this speaker was heard.
        private(set) var lastSpeechTime = -1_000_000
        private(set) var count = 0
        /// The `count` of each microphone at the time when this microphone's speaker last began to speak;
        /// empty until then.
        private(set) var countsAtSpeechStart: [Int] = []
        /// Length of a segment, in 10 ms levels. A segment is shorter than the pauses in speech.
        private static let segmentLength = 15
        /// Lower levels indicate missing audio rather than noise.
        private static let lowest = VoiceMeter.Powers(repeating: 1e-9)
        /// Minimum ratio of a sound to the noise: 5 dB in the narrowest band, where noise varies the most,
        /// and 2 dB in the widest.
        private static let soundMargin = {
            var margin = VoiceMeter.widths
            for band in margin.indices {
                margin[band] = pow(10, 0.1 + 0.4 * (110 / margin[band]).squareRoot())
            }
            return margin
        }()

        /// Level relative to the noise, in decibels.
        var aboveNoise: Float { VoiceMeter.level(of: power) - VoiceMeter.level(of: noise) }
        /// Whether any sound is present, from any speaker.
        var isSounding: Bool { any(power .> noise * Self.soundMargin) }

        mutating func add(_ next: VoiceMeter.Powers, at time: Int) {
            last = last.suffix(4) + [next.replacing(with: 0, where: .!(next .>= 0 .& next .<= 100))]
            power = last.reduce(.zero, +) / Float(last.count) + 1e-11
            highest = pointwiseMax(power, highest * 0.71)
            loudest = pointwiseMax(loudest, power)
            if time % Self.segmentLength == Self.segmentLength - 1 {
                if loudest != Self.lowest { maxima = maxima.suffix(132) + [loudest] }
                loudest = Self.lowest
            }
            noise = maxima.reduce(maxima.first ?? loudest, pointwiseMin)
        }

        /// Records that the microphone picked up its own speaker.
        mutating func recordSpeech(at time: Int, counts: [Int]) {
            if time - lastSpeechTime > VoiceSwitcher.speechTimeout { countsAtSpeechStart = counts }
            count += 1
            lastSpeechTime = time
        }
    }

    /// A pair of microphones, with the leakage of each speaker's voice into the other microphone.
    fileprivate struct Pair {
        let one: Int
        let other: Int
        /// For each of the two microphones, the maximum fraction of the other microphone's power that it
        /// picks up.
        private(set) var leakToOne = VoiceMeter.Powers(repeating: 1)
        private(set) var leakToOther = VoiceMeter.Powers(repeating: 1)
        private var differences = [VoiceDifferences](
            repeating: VoiceDifferences(), count: VoiceMeter.Powers.scalarCount)

        init(one: Int, other: Int) {
            self.one = one
            self.other = other
        }

        /// Records the level difference in each band that contains a voice.
        mutating func count(_ one: MicrophoneState, _ other: MicrophoneState) {
            let noise = VoiceMeter.level(of: one.noise) - VoiceMeter.level(of: other.noise)
            let difference = (one.power / other.power).decibels
            let isLoud = one.power .> one.noise * 16 .| other.power .> other.noise * 16
            for band in differences.indices {
                differences[band].count(isLoud[band] ? difference[band] : nil, noise: noise)
                leakToOne[band] = pow(10, differences[band].leakToOne / 10)
                leakToOther[band] = pow(10, differences[band].leakToOther / 10)
            }
        }
    }
}
