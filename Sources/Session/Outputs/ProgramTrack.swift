internal import Media

/// The program: at each tick the picture of every camera that it shows, composed and encoded. Timeline's thread only.
final class ProgramTrack {
    /// One camera's place in the program, with what it showed last.
    private struct Place {
        var follower: GridFollower
        let layer: PlannedLayer
        let caption: SlateCaption
        var picture: CapturedPicture?

        func pictureLayer(isCoarse: Bool) -> PictureLayer {
            PictureLayer(
                picture: picture, rectangle: layer.rectangle, filling: layer.filling,
                rotation: layer.rotation,
                isMirrored: layer.isMirrored, crop: layer.crop, border: layer.border,
                caption: caption, isCoarse: isCoarse)
        }
    }

    let rate: FrameRate
    let encoder: EncoderLane
    private var places: [Place]
    private var hasPicture = false
    /// Whether the encoder had no room for what is to be seen: it is offered again until it is taken.
    private var isOwed = false
    private var decided = FrameCounts()
    /// Lost is also what its cameras did not deliver to it: without tracks of their own that stands nowhere else.
    var counts: FrameCounts {
        var counts = decided.withdrawing(encoder.damagedCount, cause: .corrupt)
            .withdrawing(encoder.lostInHardware, cause: .encoder)
        for place in places { counts.lost.merge(place.follower.aligner.counts.lost, uniquingKeysWith: +) }
        return counts
    }
    private var keyTick: Int64?
    var intake: EncoderIntake?
    var isCoarse = false

    init(rate: FrameRate, layers: [(follower: GridFollower, layer: PlannedLayer)], encoder: EncoderLane) {
        self.rate = rate
        self.encoder = encoder
        places = layers.map { follower, layer in
            // The program's pictures are turned and mirrored before they are in it; its slates stand upright as they are.
            let caption = SlateCaption(role: layer.role, device: follower.input.source.device.name)
            return Place(follower: follower, layer: layer, caption: caption)
        }
    }

    func beginPart(at tick: Int64) { keyTick = tick }

    func take(_ deliveries: [CameraInput.Delivery], from role: String) {
        for index in places.indices where places[index].layer.role == role {
            places[index].follower.take(deliveries)
        }
    }

    func step(tick: Int64) {
        let asKey = keyTick == tick
        var isNew = isOwed
        for index in places.indices {
            switch places[index].follower.choose(tick: tick) {
            case .show(let dated):
                if dated.isUndecodable {
                    places[index].follower.withdrawChoice(cause: .corrupt)
                } else {
                    places[index].picture = dated.shown ?? places[index].picture
                    isNew = true
                }
            case .repeatLast:
                // A picture that is shown again must not keep the driver's memory.
                places[index].picture = places[index].picture?.ownedCopy()
            case .slate:
                isNew = isNew || places[index].picture != nil || !hasPicture
                places[index].picture = nil
            }
        }
        guard isNew else {
            decided.repeated += 1
            encoder.repeatLast(tick: tick, asKey: asKey)
            return
        }
        guard intake?.takes(rate.time(ofTick: tick), queueLength: encoder.queueLength) ?? true else {
            isOwed = true
            decided.repeated += 1
            decided.lost[.governor, default: 0] += 1
            encoder.repeatLast(tick: tick, asKey: asKey)
            return
        }
        if encoder.encode(places.map { $0.pictureLayer(isCoarse: isCoarse) }, tick: tick, asKey: asKey) {
            hasPicture = true
            isOwed = false
            decided.captured += 1
        } else {
            isOwed = true
            decided.repeated += 1
            decided.lost[.encoder, default: 0] += 1
        }
    }

    func finish(at end: MediaTime) {
        for index in places.indices { places[index].follower.finish(at: end) }
        encoder.finish()
    }

    /// Pictures of one camera that were lost to the program.
    func lostInAll(of role: String) -> Int {
        places.first { $0.layer.role == role }?.follower.aligner.counts.lostInAll ?? 0
    }

    /// Stretches without one of its cameras.
    var gaps: [Gap] { places.flatMap(\.follower.gaps) }
}
